package org.redislocked.trial.cases.transactions;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;

/** Has a transaction, and no lock. */
@ApplicationScoped
public class Caller {

    @Transactional
    public void inTransaction(Work work) throws Exception {
        work.run();
    }
}
