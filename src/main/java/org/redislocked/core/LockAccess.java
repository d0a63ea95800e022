package org.redislocked.core;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.redislocked.RedisLockLostException;

/**
 * Entering and leaving: the steps from a call's wish for a lock to the release by whoever leaves last.
 *
 * <p>The hold is the calling thread's, if that has a call in it. If no thread has, but a transaction, it is that of the
 * thread which works in this transaction.
 */
final class LockAccess {

    private final LockSettings settings;
    private final LockQueues queues;
    private final HoldBook book;
    private final Contender contender;
    private final Releaser releaser;
    private final HoldKeeper keeper;
    private final Watchdog watchdog;
    private final Transactions transactions;
    private final LeakWatch leaks;
    private final LongSupplier nanoTime;

    /** How many transactions keep holds: while none does, nobody asks for them. */
    private final AtomicInteger openTransactions = new AtomicInteger();

    LockAccess(
            LockSettings settings,
            LockQueues queues,
            HoldBook book,
            Contender contender,
            Releaser releaser,
            HoldKeeper keeper,
            Watchdog watchdog,
            Container container,
            LongSupplier nanoTime) {
        this.settings = settings;
        this.queues = queues;
        this.book = book;
        this.contender = contender;
        this.releaser = releaser;
        this.keeper = keeper;
        this.watchdog = watchdog;
        this.transactions = container.transactions();
        leaks = new LeakWatch(container.leakGuard(), settings, book, keeper, this);
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
        JoinedTransaction transaction = joining ? join(lockName) : null;
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
            leaveAfter(t, lockName);
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
            leaveAfter(t, lockName);
            throw t;
        }
        return hold;
    }

    /** Leaves a hold that the caller never had: that it was lost meanwhile, as by the end of the client, is no news. */
    private void leaveAfter(Throwable failure, String lockName) {
        try {
            exit(lockName, false, false);
        } catch (RuntimeException e) {
            failure.addSuppressed(e);
        }
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
        ActiveHold kept = keptByTransaction(lockName);
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

    /** {@return what the transaction of the current thread keeps of the lock} */
    private @Nullable ActiveHold keptByTransaction(String lockName) {
        if (openTransactions.get() == 0) {
            return null;
        }
        JoinedTransaction transaction = transactions.joined();
        return transaction == null ? null : transaction.find(lockName);
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
            if (leaveCall(hold)) { // the transaction that had kept it has just ended
                try {
                    release(hold);
                } catch (RuntimeException e) {
                    t.addSuppressed(e);
                }
            }
            throw t;
        }
    }

    /**
     * Leaves the lock with the innermost call, and releases it if nobody else has entered.
     *
     * @param joining whether a transaction that the call has begun, and not ended, keeps the lock until its end
     * @param guarded whether it might have been forgotten
     */
    void exit(String lockName, boolean joining, boolean guarded) {
        exit(own(lockName), joining, guarded);
    }

    void exit(ActiveHold hold, boolean joining, boolean guarded) {
        if (guarded) {
            hold.guardedCalls().leave();
        }
        RuntimeException refusal = joining ? joinAtExit(hold) : null;
        try {
            if (leaveCall(hold)) {
                keeper.loseIfDue(hold);
                release(hold);
            } else {
                showCalls(hold);
                keeper.refuseIfLost(hold);
            }
        } catch (RuntimeException e) {
            if (refusal == null) {
                throw e;
            }
            refusal.addSuppressed(e);
        }
        if (refusal != null) {
            throw refusal;
        }
    }

    /** {@return what speaks against it; the transaction will be rolled back then, since the lock is not kept for it} */
    private @Nullable RuntimeException joinAtExit(ActiveHold hold) {
        try {
            JoinedTransaction transaction = join(hold.lockName());
            if (transaction != null) { // which may end at this moment, and needs no lock any more then
                transaction.join(hold, hold.isCallRenewed());
            }
            return null;
        } catch (RuntimeException e) {
            try {
                transactions.setRollbackOnly();
            } catch (RuntimeException notMarked) { // it is over, or was never there
                e.addSuppressed(notMarked);
            }
            return e;
        }
    }

    private @Nullable JoinedTransaction join(String lockName) {
        try {
            return transactions.join(() -> new JoinedTransaction(this, keeper));
        } catch (IllegalStateException e) {
            throw LockErrors.notJoined(lockName, e);
        }
    }

    /** {@return whether nobody is left} */
    private boolean leaveCall(ActiveHold hold) {
        if (hold.calls() == 1) {
            book.unlink(hold); // before another thread may have it
        }
        boolean last = hold.leave();
        if (last) {
            book.unwatch(hold);
        }
        return last;
    }

    /** Tells the store how deep the remaining calls are nested, if that has changed. */
    private void showCalls(ActiveHold hold) {
        keeper.loseIfDue(hold);
        if (hold.calls() > 0 && hold.grant().isActive()) {
            keeper.record(hold, hold.isRenewed() ? settings.leaseTime() : Duration.ZERO);
        }
    }

    private void release(ActiveHold hold) {
        if (!hold.grant().beginRelease()) {
            throw LockErrors.lost(hold);
        }
        // A renewal that was collected before may still be sent: it finds the grant gone, and its answer is ignored.
        boolean kept;
        try {
            kept = releaser.release(hold.grant());
        } finally {
            endRelease(hold);
        }
        if (!kept) {
            keeper.lostAtRelease(hold);
            throw LockErrors.lost(hold);
        }
    }

    private void endRelease(ActiveHold hold) {
        hold.grant().endRelease();
        hold.queue().vacate(hold);
        queues.leave(hold.queue());
    }

    /**
     * What follows when a transaction or stage has left: the release, if nobody else has entered.
     *
     * @param inBackground whether the current thread should not wait for the store; then nobody hears whether the store
     *     still knew it
     * @throws RedisLockLostException if it was lost
     */
    void leave(ActiveHold hold, boolean last, boolean inBackground) {
        if (!last) {
            keeper.refuseIfLost(hold);
            return;
        }
        book.unwatch(hold);
        keeper.loseIfDue(hold);
        if (!inBackground && !releaser.isFailing()) { // where it is, a thread has waited for it already
            release(hold);
        } else if (hold.grant().beginRelease()) {
            try {
                releaser.releaseInBackground(hold.grant());
            } finally {
                endRelease(hold);
            }
        }
    }

    /**
     * Leaves the lock with the innermost call, for which a stage has entered until it is complete.
     *
     * @return a stage that completes as the given one, after the lock was left
     */
    <T> CompletableFuture<T> exitWhenComplete(
            String lockName, CompletionStage<T> stage, boolean joining, boolean guarded) {
        ActiveHold hold = own(lockName);
        if (guarded) {
            hold.guardedCalls().leave();
        }
        RuntimeException refusal = joining ? joinAtExit(hold) : null;
        if (hold.calls() == 1) {
            book.unlink(hold); // before another thread may have it
        }
        boolean renewed = hold.callToStage();
        showCalls(hold);
        return UnlockedFuture.after(stage, () -> {
            try {
                leave(hold, hold.leaveStage(renewed), false);
            } catch (RuntimeException e) {
                if (refusal == null) {
                    throw e;
                }
                refusal.addSuppressed(e);
            }
            if (refusal != null) {
                throw refusal;
            }
        });
    }

    void transactionJoined() {
        openTransactions.incrementAndGet();
    }

    void transactionEnded() {
        openTransactions.decrementAndGet();
    }

    private ActiveHold own(String lockName) {
        ActiveHold hold = book.find(lockName);
        if (hold == null) {
            throw LockErrors.notHeld(lockName);
        }
        return hold;
    }

    /** {@return the hold of the current thread, valid or lost} */
    @Nullable
    ActiveHold find(String lockName) {
        ActiveHold hold = book.find(lockName);
        if (hold != null) {
            keeper.loseIfDue(hold);
        }
        return hold;
    }
}
