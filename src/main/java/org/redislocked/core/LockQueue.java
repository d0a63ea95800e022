package org.redislocked.core;

import java.util.ArrayDeque;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The threads of this client that want one lock, first-in first-out, and the hold that one of them has.
 *
 * <p>Only the head contends for the lock in the store, and only while no thread of this client holds it. All others
 * are parked. The mutex guards the fields and is never held during I/O. It also carries the memory effects that
 * {@link java.util.concurrent.locks.Lock} demands: an owner {@linkplain #vacate vacates} under it before the next head
 * sees under it that its turn has come.
 */
final class LockQueue {

    /**
     * A thread in the queue, and whether something has happened that it has to look at.
     *
     * <p>The permit of {@link LockSupport#park()} alone would not do: any contended lock on the way to the park, be it
     * the mutex, a pool's or a log handler's, may use it up.
     */
    static final class Waiter {
        private final Thread thread = Thread.currentThread();
        private volatile boolean signalled;

        // the thread's own
        private boolean waitsForProbe;
        private long waitsForProbeSinceNanos;

        /** {@return for how long it has waited since it first had to wait for another's try} */
        long waitedForProbeNanos(long nowNanos) {
            if (!waitsForProbe) {
                waitsForProbe = true;
                waitsForProbeSinceNanos = nowNanos;
            }
            return nowNanos - waitsForProbeSinceNanos;
        }

        void signal() {
            signalled = true;
            LockSupport.unpark(thread);
        }

        /** To be called before looking: a signal that comes after it calls for another look. */
        void forgetSignal() {
            signalled = false;
        }

        /** Sleeps, unless there was a signal since the last look. */
        void sleep(Patience patience, Object blocker, long nanos) throws InterruptedException {
            patience.sleep(blocker, nanos, () -> signalled);
        }
    }

    private final String lockName;
    private final ReentrantLock mutex = new ReentrantLock();
    private final ArrayDeque<Waiter> waiters = new ArrayDeque<>(1);
    private @Nullable ActiveHold current;
    private volatile boolean closed;

    /** The head's; it outlives a head that leaves without an answer. */
    private @Nullable Attempt attempt;

    LockQueue(String lockName) {
        this.lockName = lockName;
    }

    String lockName() {
        return lockName;
    }

    /**
     * Waits for the turn of the current thread and lets it contend.
     *
     * @return the hold, or null if the caller's time is up
     */
    @Nullable
    ActiveHold acquire(Patience patience, Lease lease, Contender contender) throws InterruptedException {
        Waiter waiter = new Waiter();
        if (!enter(waiter, patience.isNone())) {
            refuseIfFailing(contender);
            return null;
        }
        ActiveHold hold = null;
        try {
            if (awaitTurn(waiter, patience, contender)) {
                hold = contender.contend(this, waiter, patience, lease);
            } else {
                refuseIfFailing(contender);
            }
            return hold;
        } finally {
            Attempt orphan = leave(waiter, hold);
            if (orphan != null) {
                contender.abandon(lockName, orphan);
            }
        }
    }

    /** A lock that is held here is busy, whatever the store may be; what others here wait for may be the store. */
    private void refuseIfFailing(Contender contender) {
        if (!isHeldHere()) {
            contender.refuseIfFailing(this);
        }
    }

    private boolean isHeldHere() {
        mutex.lock();
        try {
            return current != null && current.grant().isValid();
        } finally {
            mutex.unlock();
        }
    }

    private boolean enter(Waiter waiter, boolean onlyAsHead) {
        mutex.lock();
        try {
            if (onlyAsHead
                    && !(waiters.isEmpty()
                            && (current == null || !current.grant().isValid()))) {
                return false;
            }
            waiters.addLast(waiter);
            return true;
        } finally {
            mutex.unlock();
        }
    }

    /** {@return whether it is the waiter's turn; false if its time is up} */
    private boolean awaitTurn(Waiter waiter, Patience patience, Contender contender) throws InterruptedException {
        while (true) {
            waiter.forgetSignal();
            refuseIfClosed();
            boolean head;
            ActiveHold obstacle;
            mutex.lock();
            try {
                head = waiters.peekFirst() == waiter;
                obstacle = current;
            } finally {
                mutex.unlock();
            }
            long sleepNanos = Long.MAX_VALUE;
            if (head) {
                if (obstacle == null) {
                    return true;
                }
                // The renewal may be late, and an explicit lease may have nobody else who sees its end.
                contender.loseIfDue(obstacle);
                if (obstacle.grant().isOver()) {
                    vacate(obstacle); // whoever ended it may not have come to that yet
                    continue;
                }
                if (obstacle.grant().isActive()) { // else it is being released, and will be vacated
                    sleepNanos = obstacle.remainingLease().toNanos() + 1;
                }
            } else if (obstacle == null) { // the head is trying, and the store may not answer it
                sleepNanos = contender.untilNextLookNanos(this, waiter, patience);
            }
            if (patience.isOver()) {
                return false;
            }
            waiter.sleep(patience, this, sleepNanos);
        }
    }

    /** Leaves with the hold, or without: then {@return the attempt that nobody will go on with, if its outcome is unknown} */
    private @Nullable Attempt leave(Waiter waiter, @Nullable ActiveHold hold) {
        Attempt orphan = null;
        mutex.lock();
        try {
            boolean wasHead = waiters.peekFirst() == waiter;
            waiters.remove(waiter);
            if (hold != null) {
                current = hold;
            } else if (waiters.isEmpty() && attempt != null && attempt.isInDoubt()) {
                orphan = attempt;
                attempt = null;
            }
            if (wasHead) { // any other's leaving is no news for the head
                wakeHead();
            }
        } finally {
            mutex.unlock();
        }
        return orphan;
    }

    /** The hold has ended, here and in the store, or was lost. */
    void vacate(ActiveHold hold) {
        mutex.lock();
        try {
            if (current == hold) {
                current = null;
                wakeHead();
            }
        } finally {
            mutex.unlock();
        }
    }

    /** Sends all waiters away. */
    void close() {
        mutex.lock();
        try {
            closed = true;
            waiters.forEach(Waiter::signal);
        } finally {
            mutex.unlock();
        }
    }

    void refuseIfClosed() {
        if (closed) {
            throw LockErrors.closed(lockName);
        }
    }

    /** {@return what the tries of this queue go out under} For the head only. */
    Attempt attempt(Supplier<String> newGrantId) {
        Attempt ongoing = attempt;
        if (ongoing == null) {
            ongoing = new Attempt(newGrantId.get());
            attempt = ongoing;
        }
        return ongoing;
    }

    /** The attempt has become a grant; the next one gets an id of its own. For the head only. */
    void endAttempt() {
        attempt = null;
    }

    private void wakeHead() {
        Waiter head = waiters.peekFirst();
        if (head != null) {
            head.signal();
        }
    }
}
