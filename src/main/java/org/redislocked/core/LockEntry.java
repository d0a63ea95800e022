package org.redislocked.core;

import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Entering: the steps from a call's wish for a lock to its hold.
 *
 * <p>A hold that is there already is the calling thread's, if that has a call in it. If no thread has, but a transaction, it
 * is that of the thread which works in this transaction.
 */
final class LockEntry {

    private final LockQueues queues;
    private final HoldBook book;
    private final Contender contender;
    private final HoldKeeper keeper;
    private final Watchdog watchdog;
    private final LockExit exit;
    private final TransactionEntries transactions;
    private final LeakWatch leaks;
    private final LongSupplier nanoTime;

    LockEntry(
            LockQueues queues,
            HoldBook book,
            Contender contender,
            HoldKeeper keeper,
            Watchdog watchdog,
            LockExit exit,
            LeakWatch leaks,
            LongSupplier nanoTime) {
        this.queues = queues;
        this.book = book;
        this.contender = contender;
        this.keeper = keeper;
        this.watchdog = watchdog;
        this.exit = exit;
        this.transactions = exit.transactions();
        this.leaks = leaks;
        this.nanoTime = nanoTime;
    }

    /**
     * Enters the lock, for the first time or again.
     *
     * @param joining whether the transaction of the current thread is to keep the lock until its end
     * @param guarded whether it may be forgotten to leave
     * @return false if the caller's time is up
     */
    boolean enter(String lockName, Patience patience, Lease lease, boolean joining, boolean guarded)
            throws InterruptedException {
        // Before it waits: that the platform refuses should be known then, and a transaction that is marked for
        // rollback meanwhile still tells of its end.
        JoinedTransaction transaction = joining ? transactions.join(lockName) : null;
        ActiveHold hold = reenter(lockName, patience, lease);
        if (hold == null) {
            hold = acquire(lockName, patience, lease);
        }
        if (hold == null) {
            return false;
        }
        try {
            if (transaction != null && !transaction.join(hold, lease.renewed())) {
                throw LockErrors.transactionOver(lockName);
            }
            if (guarded) {
                leaks.entered(hold);
            }
        } catch (Throwable t) { // the caller will not unlock what it did not get
            exit.leaveAfter(t, hold);
            throw t;
        }
        return true;
    }

    private @Nullable ActiveHold acquire(String lockName, Patience patience, Lease lease) throws InterruptedException {
        LockQueue queue = queues.enter(lockName);
        ActiveHold hold = null;
        try {
            hold = queue.acquire(patience, lease, contender);
        } finally {
            if (hold == null) {
                queues.leave(queue);
            }
        }
        if (hold == null) {
            return null;
        }
        try {
            book.add(hold);
            watchdog.wake();
            queue.refuseIfClosed();
        } catch (Throwable t) { // the caller will not unlock what it did not get
            exit.leaveAfter(t, hold);
            throw t;
        }
        return hold;
    }

    /** {@return the hold that the current thread has entered once more; null if it has none} */
    private @Nullable ActiveHold reenter(String lockName, Patience patience, Lease lease) {
        ActiveHold own = leaks.reenterable(lockName);
        if (own != null) {
            keeper.requireValid(own);
            boolean wasRenewed = own.isRenewed();
            own.enter(lease);
            extendFor(own, lease, wasRenewed, true);
            return own;
        }
        ActiveHold kept = transactions.kept(lockName);
        if (kept == null) {
            return null;
        }
        boolean wasRenewed = kept.isRenewed();
        if (kept.adopt(lease)) {
            book.link(kept);
            extendFor(kept, lease, wasRenewed, false);
            return kept;
        }
        if (kept.hasStage() && !patience.isNone()) {
            throw LockErrors.usedByStage(lockName); // to wait for oneself is no use
        }
        return null; // it has just ended, or another thread works in this transaction, too
    }

    /** Has the lease reach as far as a call that has just entered demands; else the call has not entered. */
    private void extendFor(ActiveHold hold, Lease lease, boolean wasRenewed, boolean nested) {
        try {
            keeper.requireValid(hold);
            long wantedDeadline = lease.deadlineNanos(nanoTime.getAsLong());
            boolean enough = wasRenewed && lease.renewed();
            if (!nested && (enough || Nanos.reached(wantedDeadline, hold.grant().deadlineNanos()))) {
                return; // what the store shows remains the same, too
            }
            StoreException failure = keeper.record(hold, lease.time());
            keeper.requireValid(hold);
            // That the count was not written does not matter: it is for show. That the lease was not extended
            // does, unless an outer entry has it renewed all along.
            if (failure != null
                    && !wasRenewed
                    && !Nanos.reached(wantedDeadline, hold.grant().deadlineNanos())) {
                throw LockErrors.unavailable(hold.lockName(), "its lease was not extended", failure);
            }
        } catch (Throwable t) {
            if (exit.leaveCall(hold)) { // the transaction that had kept it has just ended
                try {
                    exit.release(hold);
                } catch (RuntimeException e) {
                    t.addSuppressed(e);
                }
            }
            throw t;
        }
    }
}
