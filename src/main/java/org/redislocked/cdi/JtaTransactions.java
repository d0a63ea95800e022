package org.redislocked.cdi;

import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.function.Supplier;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import javax.naming.NoInitialContextException;
import org.jspecify.annotations.Nullable;
import org.redislocked.core.JoinedTransaction;
import org.redislocked.core.Transactions;

/**
 * The transactions of JTA, by way of the registry that the platform specification puts into JNDI.
 *
 * <p>Its types are in no other class: JTA may be missing.
 *
 * @see <a href="https://jakarta.ee/specifications/transactions/2.0/">Jakarta Transactions, 3.4</a>
 */
final class JtaTransactions implements Transactions {

    private static final Logger LOG = System.getLogger("org.redislocked");

    /** The second is WildFly's, for threads that have no component's context. */
    private static final String[] NAMES = {
        "java:comp/TransactionSynchronizationRegistry", "java:jboss/TransactionSynchronizationRegistry"
    };

    private volatile @Nullable TransactionSynchronizationRegistry registry;

    /** As in Java SE. */
    private volatile boolean withoutJndi;

    JtaTransactions(@Nullable TransactionSynchronizationRegistry registry) {
        this.registry = registry;
    }

    /** {@return the transactions of JTA, or none where it is not there} */
    static Transactions ifPresent() {
        try {
            Class.forName(
                    "jakarta.transaction.TransactionSynchronizationRegistry",
                    false,
                    JtaTransactions.class.getClassLoader());
            var transactions = new JtaTransactions(null);
            transactions.registry();
            return transactions;
        } catch (ClassNotFoundException | LinkageError e) {
            LOG.log(Level.DEBUG, "Locks join no transactions: {0}", e.toString());
            return NONE;
        }
    }

    @Override
    public @Nullable JoinedTransaction joined() {
        TransactionSynchronizationRegistry found = registry();
        if (found == null || found.getTransactionKey() == null) {
            return null;
        }
        try {
            return (JoinedTransaction) found.getResource(this);
        } catch (IllegalStateException e) { // it has just ended, which its observers are being told
            return null;
        }
    }

    @Override
    public @Nullable JoinedTransaction join(Supplier<JoinedTransaction> newcomer) {
        TransactionSynchronizationRegistry found = registry();
        if (found == null || found.getTransactionStatus() != Status.STATUS_ACTIVE) {
            return null;
        }
        JoinedTransaction known = (JoinedTransaction) found.getResource(this);
        if (known != null) {
            return known;
        }
        JoinedTransaction joined = newcomer.get();
        // In this order: what is kept in the transaction must be told of its end. WildFly silently drops what comes
        // after somebody has marked the transaction for rollback.
        found.registerInterposedSynchronization(new End(joined));
        if (found.getTransactionStatus() != Status.STATUS_ACTIVE) {
            return null;
        }
        found.putResource(this, joined);
        return joined;
    }

    @Override
    public void setRollbackOnly() {
        TransactionSynchronizationRegistry found = registry();
        if (found != null) {
            found.setRollbackOnly();
        }
    }

    /** A failure is not remembered: the name is there for some threads only, and on some servers not yet at start-up. */
    @SuppressWarnings("BanJNDI") // the names are the platform's
    private @Nullable TransactionSynchronizationRegistry registry() {
        TransactionSynchronizationRegistry found = registry;
        for (int i = 0; found == null && !withoutJndi && i < NAMES.length; i++) {
            try {
                found = InitialContext.doLookup(NAMES[i]);
                registry = found;
            } catch (NoInitialContextException e) {
                withoutJndi = true;
            } catch (NamingException | RuntimeException e) {
                LOG.log(Level.DEBUG, "No {0} here: {1}", NAMES[i], e.toString());
            }
        }
        return found;
    }

    /** The last to be told before the commit and among the first after it, on any thread. No record: it may be hashed. */
    private static final class End implements Synchronization {

        private final JoinedTransaction transaction;

        End(JoinedTransaction transaction) {
            this.transaction = transaction;
        }

        @Override
        public void beforeCompletion() {
            transaction.beforeCompletion(); // what it throws rolls back
        }

        @Override
        public void afterCompletion(int status) {
            transaction.afterCompletion();
        }
    }
}
