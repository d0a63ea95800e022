package org.redislocked.core;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * How one caller waits: for how long, and what an interrupt means.
 *
 * <p>Of one thread. An interrupt that must not end the wait is kept back meanwhile, since parking with the interrupt
 * status set would spin, and handed back by {@link #close()}.
 */
final class Patience implements AutoCloseable {

    private static final long UNLIMITED = Long.MAX_VALUE;

    private final LongSupplier nanoTime;
    private final boolean interruptible;
    private final long startNanos;
    private final long limitNanos;
    private boolean interrupted;

    private Patience(LongSupplier nanoTime, boolean interruptible, long limitNanos) {
        this.nanoTime = nanoTime;
        this.interruptible = interruptible;
        this.startNanos = nanoTime.getAsLong();
        this.limitNanos = limitNanos;
    }

    static Patience uninterruptible(LongSupplier nanoTime) {
        return new Patience(nanoTime, false, UNLIMITED);
    }

    static Patience none(LongSupplier nanoTime) {
        return new Patience(nanoTime, false, 0);
    }

    static Patience interruptible(LongSupplier nanoTime) throws InterruptedException {
        return interruptible(nanoTime, UNLIMITED);
    }

    static Patience interruptible(LongSupplier nanoTime, Duration limit) throws InterruptedException {
        return interruptible(nanoTime, Math.max(0, Nanos.of(limit)));
    }

    private static Patience interruptible(LongSupplier nanoTime, long limitNanos) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("Interrupted before the lock was asked for");
        }
        return new Patience(nanoTime, true, limitNanos);
    }

    boolean isNone() {
        return limitNanos == 0;
    }

    /** {@return when the caller came} */
    long startNanos() {
        return startNanos;
    }

    boolean isOver() {
        return remainingNanos() <= 0;
    }

    long remainingNanos() {
        return limitNanos == UNLIMITED ? UNLIMITED : limitNanos - (nanoTime.getAsLong() - startNanos);
    }

    /**
     * Sleeps until {@code woken}, or the given time or the caller's own time is over.
     *
     * <p>A park that returns for no reason, as it may, is no reason to wake: that would mean a try in Redis each time.
     */
    void sleep(Object blocker, long nanos, BooleanSupplier woken) throws InterruptedException {
        long startNanos = nanoTime.getAsLong();
        long parkedNanos = 0;
        while (!woken.getAsBoolean()) {
            long elapsedNanos = Math.max(parkedNanos, nanoTime.getAsLong() - startNanos);
            long restNanos = Math.min(nanos - elapsedNanos, remainingNanos());
            if (restNanos <= 0) {
                return;
            }
            // No lock may be taken between looking at woken and here: it could use up the permit of the waker.
            long parkNanos = System.nanoTime(); // parking is by this clock, whatever the ticker is
            LockSupport.parkNanos(blocker, restNanos);
            parkedNanos += System.nanoTime() - parkNanos;
            checkInterrupt();
        }
    }

    void checkInterrupt() throws InterruptedException {
        if (Thread.interrupted()) {
            if (interruptible) {
                throw new InterruptedException("Interrupted while waiting for the lock");
            }
            interrupted = true;
        }
    }

    @Override
    public void close() {
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
