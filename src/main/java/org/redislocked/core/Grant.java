package org.redislocked.core;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.redislocked.core.LockStore.GrantKey;

/**
 * What the store knows of this client having a lock, and until when that is certain: {@code ACTIVE → RELEASING → GONE}
 * or {@code ACTIVE → LOST}, each step by one CAS.
 *
 * <p>The deadline is local and monotonic. It is counted from before the request was sent that set or extended the
 * lease, so the store's lease ends later than the deadline, whatever the network did. Only a sure success moves it,
 * never backwards. Once it has passed, an answer moves it no more: it proves nothing for the time between.
 */
final class Grant {

    private enum State {
        ACTIVE,
        /** The owner has left: nothing extends the lease any more, and late answers are ignored. */
        RELEASING,
        GONE,
        LOST
    }

    private final GrantKey key;
    private final long token;
    private final LongSupplier nanoTime;
    private final AtomicReference<State> state = new AtomicReference<>(State.ACTIVE);

    /** Only raised. */
    private final AtomicLong deadlineNanos;

    /** Until when a command that was sent, and is perhaps executed late, can keep the key alive. Only raised. */
    private final AtomicLong aliveUntilNanos;

    Grant(GrantKey key, long token, long deadlineNanos, long aliveUntilNanos, LongSupplier nanoTime) {
        this.key = key;
        this.token = token;
        this.deadlineNanos = new AtomicLong(deadlineNanos);
        this.aliveUntilNanos = new AtomicLong(aliveUntilNanos);
        this.nanoTime = nanoTime;
    }

    GrantKey key() {
        return key;
    }

    long token() {
        return token;
    }

    long deadlineNanos() {
        return deadlineNanos.get();
    }

    long aliveUntilNanos() {
        return aliveUntilNanos.get();
    }

    /** {@return whether this client is certain to have the lock at this moment} */
    boolean isValid() {
        return isActive() && !isDue();
    }

    /** {@return whether nobody has released it or found it lost yet} Its deadline may have passed all the same. */
    boolean isActive() {
        return state.get() == State.ACTIVE;
    }

    boolean isReleasing() {
        return state.get() == State.RELEASING;
    }

    /** {@return whether it was released or lost} */
    boolean isOver() {
        State now = state.get();
        return now == State.GONE || now == State.LOST;
    }

    boolean isLost() {
        return state.get() == State.LOST;
    }

    boolean isDue() {
        return Nanos.reached(deadlineNanos.get(), nanoTime.getAsLong());
    }

    /** {@return how long it is until the deadline; zero if it is over or due} */
    Duration remainingLease() {
        long remainingNanos = deadlineNanos.get() - nanoTime.getAsLong();
        return isActive() && remainingNanos > 0 ? Duration.ofNanos(remainingNanos) : Duration.ZERO;
    }

    /** {@return how long ago the deadline was; zero if it has not passed} */
    Duration overdue() {
        return Duration.ofNanos(Math.max(0, nanoTime.getAsLong() - deadlineNanos.get()));
    }

    /** Notes, before it is sent, a command that will keep the key alive until the given time at the latest. */
    void sending(long aliveUntil) {
        aliveUntilNanos.accumulateAndGet(aliveUntil, Nanos::later);
    }

    /** Moves the deadline after a sure success, unless it has passed: then whoever sees that makes the grant lost. */
    void extend(long newDeadlineNanos) {
        if (!isDue()) {
            deadlineNanos.accumulateAndGet(newDeadlineNanos, Nanos::later);
        }
    }

    /** {@return whether the caller is the one to release it; false if it was lost before} */
    boolean beginRelease() {
        return state.compareAndSet(State.ACTIVE, State.RELEASING);
    }

    void endRelease() {
        state.compareAndSet(State.RELEASING, State.GONE);
    }

    /** {@return whether the caller is the one who made it lost} */
    boolean lose() {
        return state.compareAndSet(State.ACTIVE, State.LOST);
    }
}
