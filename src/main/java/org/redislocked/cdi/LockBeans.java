package org.redislocked.cdi;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Default;
import jakarta.enterprise.inject.Produces;
import jakarta.enterprise.inject.Typed;
import jakarta.enterprise.inject.spi.InjectionPoint;
import org.redislocked.LockName;
import org.redislocked.RedisLocks;
import org.redislocked.ReentrantRedisLock;

/** What applications inject. */
class LockBeans {

    /** Of normal scope, so that its proxy may be part of a bean that is passivated. */
    @Produces
    @ApplicationScoped
    RedisLocks locks(RedisLockExtension extension) {
        return extension.client();
    }

    /**
     * By way of the bean, not of the client: an application may have replaced it. It is the default as well, so that
     * {@code Instance<ReentrantRedisLock>} needs no {@code @Any} before it can select a name; to go without one is an
     * error of ours. No bean of type {@code Lock}: that may be one of the application.
     */
    @Produces
    @Typed(ReentrantRedisLock.class)
    @Default
    @LockName("")
    ReentrantRedisLock lock(InjectionPoint point, RedisLocks locks, RedisLockExtension extension) {
        return locks.get(extension.lockName(point));
    }
}
