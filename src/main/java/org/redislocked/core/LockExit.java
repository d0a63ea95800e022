package org.redislocked.core;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.redislocked.RedisLockLostException;

/** Leaving: the steps from a call's wish to leave a lock to the release by whoever leaves last. */
final class LockExit {

    private final LockSettings settings;
    private final LockQueues queues;
    private final HoldBook book;
    private final Releaser releaser;
    private final HoldKeeper keeper;
    private final TransactionEntries transactions;

    LockExit(
            LockSettings settings,
            LockQueues queues,
            HoldBook book,
            Releaser releaser,
            HoldKeeper keeper,
            Transactions transactions) {
        this.settings = settings;
        this.queues = queues;
        this.book = book;
        this.releaser = releaser;
        this.keeper = keeper;
        this.transactions = new TransactionEntries(transactions, this, keeper);
    }

    TransactionEntries transactions() {
        return transactions;
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
        RuntimeException refusal = joining ? transactions.joinAtExit(hold) : null;
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

    /** Leaves a hold that the caller never had: that it was lost meanwhile, as by the end of the client, is no news. */
    void leaveAfter(Throwable failure, ActiveHold hold) {
        try {
            exit(hold, false, false);
        } catch (RuntimeException e) {
            failure.addSuppressed(e);
        }
    }

    /** {@return whether nobody is left} */
    boolean leaveCall(ActiveHold hold) {
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

    void release(ActiveHold hold) {
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
        RuntimeException refusal = joining ? transactions.joinAtExit(hold) : null;
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

    private ActiveHold own(String lockName) {
        ActiveHold hold = book.find(lockName);
        if (hold == null) {
            throw LockErrors.notHeld(lockName);
        }
        return hold;
    }
}
