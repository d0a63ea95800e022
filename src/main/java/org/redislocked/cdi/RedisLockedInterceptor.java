package org.redislocked.cdi;

import jakarta.annotation.Priority;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.AroundTimeout;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;
import java.io.Serial;
import java.io.Serializable;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.redislocked.RedisLocked;
import org.redislocked.RedisLocks;
import org.redislocked.ReentrantRedisLock;

/**
 * Takes the lock around a call: inside {@code @Asynchronous} and {@code @Lock} of Jakarta Concurrency, outside
 * {@code @Transactional} (whose commit must come before the release) and MicroProfile Fault Tolerance.
 */
@RedisLocked
@Interceptor
@Priority(Interceptor.Priority.PLATFORM_BEFORE + 150)
@SuppressWarnings("serial") // what is injected are proxies of normal-scoped beans, and those are serializable
public class RedisLockedInterceptor implements Serializable {

    @Serial
    private static final long serialVersionUID = 1L;

    private final RedisLocks locks;
    private final RedisLockExtension extension;

    @Inject
    RedisLockedInterceptor(RedisLocks locks, RedisLockExtension extension) {
        this.locks = locks;
        this.extension = extension;
    }

    /** Calls of business methods. */
    @AroundInvoke
    @Nullable
    Object aroundInvoke(InvocationContext call) throws Exception {
        LockedMethod method = extension.lockedMethod(call);
        ReentrantRedisLock lock = method.lock(locks);
        if (!method.acquire(lock)) {
            return method.busy(lock);
        }
        // a problem of unlock is thrown, or suppressed in what the method has thrown
        try (Entry entry = new Entry(lock)) {
            Object result = call.proceed();
            return method.goesOn(result) ? entry.leaveWhenComplete((CompletionStage<?>) result) : result;
        }
    }

    /** Calls by EJB timers. */
    @AroundTimeout
    @Nullable
    Object aroundTimeout(InvocationContext call) throws Exception {
        return aroundInvoke(call);
    }

    /** An entry into the lock, to be left. */
    private static final class Entry implements AutoCloseable {

        private final ReentrantRedisLock lock;
        private boolean left;

        Entry(ReentrantRedisLock lock) {
            this.lock = lock;
        }

        @SuppressWarnings("FutureReturnValueIgnored") // it is what the method returns
        Object leaveWhenComplete(CompletionStage<?> stage) {
            left = true;
            return lock.unlockWhenComplete(stage);
        }

        @Override
        public void close() {
            if (!left) {
                lock.unlock();
            }
        }
    }
}
