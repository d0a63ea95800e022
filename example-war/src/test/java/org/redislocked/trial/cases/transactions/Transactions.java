package org.redislocked.trial.cases.transactions;

import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.TransactionSynchronizationRegistry;
import org.redislocked.trial.Here;

/** What the cases ask about the transaction of their thread, and about locks. */
@ApplicationScoped
public class Transactions {

    @Inject
    Here here;

    @Resource
    TransactionSynchronizationRegistry registry;

    public boolean isRunning() {
        return registry.getTransactionKey() != null;
    }

    /** {@return as in {@link jakarta.transaction.Status}} */
    public int status() {
        return registry.getTransactionStatus();
    }

    public void setRollbackOnly() {
        registry.setRollbackOnly();
    }

    /** {@return how often the lock is entered, as Redis sees it} */
    public int count(String lock) {
        return here.countInRedis(lock);
    }

    /** {@return what the current transaction will see of the lock at its end} */
    public Ending watch(String lock) {
        var ending = new Ending(here.redis(), lock);
        registry.registerInterposedSynchronization(ending);
        return ending;
    }
}
