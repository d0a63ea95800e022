package org.redislocked.trial.cases.transactions;

import jakarta.ejb.Stateless;

/** Has a transaction, and no lock. */
@Stateless
public class CallerEjb {

    public void inTransaction(Work work) throws Exception {
        work.run();
    }
}
