package org.redislocked.cdi;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.redislocked.LockHolder;
import org.redislocked.RedisLockTimeoutException;
import org.redislocked.RedisLocked.Busy;
import org.redislocked.RedisLocks;
import org.redislocked.ReentrantRedisLock;
import org.redislocked.core.LockEngine;

/**
 * What a {@code @RedisLocked} method asks for, resolved and checked.
 *
 * @param method the method as the bean's class has it
 * @param lockName the name of the lock
 * @param waitNanos how long to wait, or {@link #UNLIMITED}
 * @param leaseNanos the explicit lease, or {@link #RENEWED}
 * @param joinsTransaction whether the transaction of the caller keeps the lock until its end; else it is none of the method's
 * @param onBusy what to do if the lock could not be had in time
 */
record LockedMethod(
        Method method, String lockName, long waitNanos, long leaseNanos, boolean joinsTransaction, Busy onBusy) {

    /** As {@link #waitNanos}: 292 years. */
    static final long UNLIMITED = Long.MAX_VALUE;

    /** As {@link #leaseNanos}: the configured lease, renewed. */
    static final long RENEWED = -1;

    /** {@return the lock, as the interceptor is to enter it} */
    ReentrantRedisLock lock(RedisLocks locks) {
        ReentrantRedisLock lock = LockEngine.unguarded(locks.get(lockName));
        return joinsTransaction ? lock.joiningTransaction() : lock;
    }

    /** {@return whether the work goes on after the method has returned this result} */
    boolean goesOn(@Nullable Object result) {
        return result instanceof CompletionStage && method.getReturnType().isAssignableFrom(CompletableFuture.class);
    }

    /** Takes the lock as the annotation demands it, and follows its rule for interrupts. */
    boolean acquire(ReentrantRedisLock lock) throws InterruptedException {
        try {
            if (leaseNanos != RENEWED) {
                return lock.tryLock(waitNanos, leaseNanos, NANOSECONDS);
            }
            return waitNanos == 0 ? lock.tryLock() : lock.tryLock(waitNanos, NANOSECONDS);
        } catch (InterruptedException e) {
            if (declaresInterruptedException()) {
                throw e;
            }
            Thread.currentThread().interrupt();
            throw new IllegalStateException(
                    "Interrupted while waiting for lock '" + lockName + "'; " + place() + " was not run", e);
        }
    }

    /** {@return the result of a call that did not get the lock} */
    @Nullable
    Object busy(ReentrantRedisLock lock) {
        if (onBusy == Busy.THROW) {
            throw timeout(lock);
        }
        return skipped(method.getReturnType());
    }

    /** {@return whether a call may be skipped, because its result can say that there is none} */
    static boolean canSkip(Class<?> result) {
        return result == void.class || skipped(result) != null;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // it is what the method returns
    private static @Nullable Object skipped(Class<?> result) {
        if (result == CompletionStage.class || result == CompletableFuture.class) {
            return CompletableFuture.completedFuture(null);
        }
        if (result == Optional.class) {
            return Optional.empty();
        }
        if (result == OptionalInt.class) {
            return OptionalInt.empty();
        }
        if (result == OptionalLong.class) {
            return OptionalLong.empty();
        }
        return result == OptionalDouble.class ? OptionalDouble.empty() : null;
    }

    /** Whether the caller is prepared for one: {@code throws Exception} says so, too. */
    private boolean declaresInterruptedException() {
        return Arrays.stream(method.getExceptionTypes())
                .anyMatch(type -> type.isAssignableFrom(InterruptedException.class));
    }

    private RedisLockTimeoutException timeout(ReentrantRedisLock lock) {
        String waited = waitNanos == 0
                ? "is not free"
                : "was not to be had within " + Durations.format(Duration.ofNanos(waitNanos));
        String message = "Lock '" + lockName + "' " + waited + "; " + place() + " was not run. ";
        try {
            return new RedisLockTimeoutException(lockName, message + describe(lock.holder()));
        } catch (RuntimeException e) {
            // the answer is only for the message: not to have it must not hide that time is up
            var timeout =
                    new RedisLockTimeoutException(lockName, message + "Who holds it is not known: " + e.getMessage());
            timeout.addSuppressed(e);
            return timeout;
        }
    }

    private static String describe(Optional<LockHolder> holder) {
        return holder.map(LockedMethod::describe).orElse("It was released a moment ago: others waited for it, too.");
    }

    private static String describe(LockHolder holder) {
        String since = holder.heldFor().isZero() ? "" : " for " + Durations.format(holder.heldFor());
        return "It is held by " + holder.grantId() + since + ", entered "
                + (holder.holdCount() == 1 ? "once" : holder.holdCount() + " times")
                + (holder.remainingLease().isNegative()
                        ? "; its key has no time to live, so this library did not write it."
                        : "; its lease ends in " + Durations.format(holder.remainingLease()) + " unless renewed.");
    }

    private String place() {
        return Problems.place(method.getDeclaringClass(), method);
    }
}
