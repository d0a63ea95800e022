package org.redislocked.cdi;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.redislocked.core.Transactions;

class JtaTransactionsTest {

    /**
     * WildFly's JCAOrderedLastSynchronizationList pretends to have registered what comes when the transaction is marked for
     * rollback. It may be marked, by another thread of it or by the reaper, after its status was asked for.
     */
    @Test
    void join_markedForRollbackMeanwhile_isNotJoined() {
        var registry = new MarkedMeanwhile();
        Transactions transactions = new JtaTransactions(registry);
        assertThat(transactions.join(() -> null)).isNull();
        assertThat(registry.resources).as("what nobody would tell of the end").isEmpty();
    }

    private static final class MarkedMeanwhile implements TransactionSynchronizationRegistry {

        private final Map<Object, Object> resources = new HashMap<>();
        private int status = Status.STATUS_ACTIVE;

        @Override
        public void registerInterposedSynchronization(Synchronization sync) {
            status = Status.STATUS_MARKED_ROLLBACK; // by another thread, a moment before; dropped
        }

        @Override
        public Object getTransactionKey() {
            return this;
        }

        @Override
        public void putResource(Object key, Object value) {
            resources.put(key, value);
        }

        @Override
        public Object getResource(Object key) {
            return resources.get(key);
        }

        @Override
        public int getTransactionStatus() {
            return status;
        }

        @Override
        public void setRollbackOnly() {
            status = Status.STATUS_MARKED_ROLLBACK;
        }

        @Override
        public boolean getRollbackOnly() {
            return status == Status.STATUS_MARKED_ROLLBACK;
        }
    }
}
