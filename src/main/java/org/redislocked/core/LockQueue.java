package org.redislocked.core;

import java.util.ArrayDeque;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
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

    /** A thread in the queue. */
    static final class Waiter {
        private final Thread thread = Thread.currentThread();
        private volatile boolean signalled;

        void signal() {
            signalled = true;
            LockSupport.unpark(thread);
        }

        /** To be called before a try: a signal that comes after it calls for another one. */
        void forgetSignal() {
            signalled = false;
        }

        boolean isSignalled() {
            return signalled;
        }
    }

    private final String lockName;
    private final ReentrantLock mutex = new ReentrantLock();
    private final ArrayDeque<Waiter> waiters = new ArrayDeque<>(1);
    private @Nullable ActiveHold current;
    private volatile boolean closed;

    /** The head's; it outlives a head that leaves without an answer. */
    private @Nullable Attempt attempt;

    /** How many acquiring threads and grants need this queue. Guarded by the engine's map. */
    int users;

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
    ActiveHold acquire(Patience patience, Lease lease, Contender contender, Consumer<ActiveHold> loseIfDue)
            throws InterruptedException {
        Waiter waiter = new Waiter();
        if (!enter(waiter, patience.isNone())) {
            return null;
        }
        ActiveHold hold = null;
        try {
            if (awaitTurn(waiter, patience, loseIfDue)) {
                hold = contender.contend(this, waiter, patience, lease);
            }
            return hold;
        } finally {
            Attempt orphan = leave(waiter, hold);
            if (orphan != null) {
                contender.abandon(lockName, orphan);
            }
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
    private boolean awaitTurn(Waiter waiter, Patience patience, Consumer<ActiveHold> loseIfDue)
            throws InterruptedException {
        while (true) {
            refuseIfClosed();
            ActiveHold obstacle = null;
            mutex.lock();
            try {
                if (waiters.peekFirst() == waiter) {
                    if (current == null) {
                        return true;
                    }
                    obstacle = current;
                }
            } finally {
                mutex.unlock();
            }
            if (obstacle != null) {
                // The renewal may be late, and an explicit lease may have nobody else who sees its end.
                loseIfDue.accept(obstacle);
            }
            if (patience.isOver()) {
                return obstacle != null && isVacant();
            }
            // The head wakes at the deadline. A hold that is not active any more is about to be vacated, which wakes
            // it.
            patience.park(
                    this,
                    obstacle != null && obstacle.grant().isActive()
                            ? obstacle.remainingLease().toNanos() + 1
                            : Long.MAX_VALUE);
        }
    }

    private boolean isVacant() {
        mutex.lock();
        try {
            return current == null;
        } finally {
            mutex.unlock();
        }
    }

    /** Leaves with the hold, or without: then {@return the attempt that nobody will go on with, if its outcome is unknown} */
    private @Nullable Attempt leave(Waiter waiter, @Nullable ActiveHold hold) {
        Attempt orphan = null;
        mutex.lock();
        try {
            waiters.remove(waiter);
            if (hold != null) {
                current = hold;
            } else if (waiters.isEmpty() && attempt != null && attempt.isInDoubt()) {
                orphan = attempt;
                attempt = null;
            }
            wakeHead();
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
            LockSupport.unpark(head.thread);
        }
    }
}
