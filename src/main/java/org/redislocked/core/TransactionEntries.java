package org.redislocked.core;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The holds that transactions keep: how a call has its transaction join, and finds again what that keeps. */
final class TransactionEntries {

    private final Transactions transactions;
    private final LockExit exit;
    private final HoldKeeper keeper;

    /** How many transactions keep holds: while none does, nobody asks for them. */
    private final AtomicInteger openTransactions = new AtomicInteger();

    TransactionEntries(Transactions transactions, LockExit exit, HoldKeeper keeper) {
        this.transactions = transactions;
        this.exit = exit;
        this.keeper = keeper;
    }

    /**
     * {@return the transaction of the current thread, which will tell of its end; null if there is none to join}
     *
     * @throws IllegalStateException if it refuses to
     */
    @Nullable
    JoinedTransaction join(String lockName) {
        try {
            return transactions.join(() -> new JoinedTransaction(this, exit, keeper));
        } catch (IllegalStateException e) {
            throw LockErrors.notJoined(lockName, e);
        }
    }

    /** {@return what speaks against it; the transaction will be rolled back then, since the lock is not kept for it} */
    @Nullable
    RuntimeException joinAtExit(ActiveHold hold) {
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

    /** {@return what the transaction of the current thread keeps of the lock} */
    @Nullable
    ActiveHold kept(String lockName) {
        if (openTransactions.get() == 0) {
            return null;
        }
        JoinedTransaction transaction = transactions.joined();
        return transaction == null ? null : transaction.find(lockName);
    }

    void begun() {
        openTransactions.incrementAndGet();
    }

    void ended() {
        openTransactions.decrementAndGet();
    }
}
