package org.redislocked.cdi;

import jakarta.enterprise.inject.spi.CDI;
import java.io.Serial;
import java.io.Serializable;
import org.redislocked.RedisLocks;
import org.redislocked.ReentrantRedisLock;

/** What an injected lock is while its bean is passivated: the application that has it back finds its own client. */
record LockReference(String lockName, boolean joiningTransaction) implements Serializable {

    @Serial
    private Object readResolve() {
        ReentrantRedisLock lock = CDI.current().select(RedisLocks.class).get().get(lockName);
        return joiningTransaction ? lock.joiningTransaction() : lock;
    }
}
