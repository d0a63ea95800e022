package org.redislocked.core;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Transactions as JTA has them: of one thread at a time, and ended by whoever the test likes. */
final class ManualTransactions implements Transactions {

    final class Transaction {
        private volatile @Nullable JoinedTransaction joined;
        volatile boolean rollbackOnly;
        private volatile boolean refuses;
        private volatile boolean over;
        private volatile @Nullable Thread worker;

        /** From now on the platform does not take anybody who wants to be told. */
        Transaction refusing() {
            refuses = true;
            return this;
        }

        /** As the transaction manager does it. Throws what rolls back. */
        void commit() {
            if (rollbackOnly) {
                rollBack();
                throw new IllegalStateException("marked for rollback");
            }
            try {
                if (joined != null) {
                    joined.beforeCompletion();
                }
            } catch (RuntimeException e) {
                rollBack();
                throw e;
            }
            end();
        }

        void rollBack() {
            end();
        }

        private void end() {
            over = true;
            Thread last = worker;
            if (last != null) {
                byThread.remove(last, this);
            }
            if (joined != null) {
                joined.afterCompletion();
            }
        }

        /** The current thread goes on with it. */
        void resume() {
            worker = Thread.currentThread();
            byThread.put(Thread.currentThread(), this);
        }

        /** The current thread is out of it. */
        void suspend() {
            byThread.remove(Thread.currentThread());
        }
    }

    /** How often the platform was asked to tell of an end. */
    final AtomicInteger registrations = new AtomicInteger();

    private final Map<Thread, Transaction> byThread = new ConcurrentHashMap<>();

    Transaction begin() {
        var transaction = new Transaction();
        transaction.resume();
        return transaction;
    }

    @Override
    public @Nullable JoinedTransaction joined() {
        Transaction current = byThread.get(Thread.currentThread());
        return current == null ? null : current.joined;
    }

    @Override
    public @Nullable JoinedTransaction join(Supplier<JoinedTransaction> newcomer) {
        Transaction current = byThread.get(Thread.currentThread());
        if (current == null || current.rollbackOnly || current.over) {
            return null;
        }
        if (current.joined == null) {
            if (current.refuses) {
                throw new IllegalStateException("too late");
            }
            registrations.incrementAndGet();
            current.joined = newcomer.get();
        }
        return current.joined;
    }

    @Override
    public void setRollbackOnly() {
        Transaction current = byThread.get(Thread.currentThread());
        if (current == null) {
            throw new IllegalStateException("no transaction");
        }
        current.rollbackOnly = true;
    }
}
