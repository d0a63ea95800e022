package org.redislocked.trial.cases.transactions;

/** A business interface of an EJB that keeps a number. */
public interface Tally {

    /** Under the lock. */
    void add(Work work) throws Exception;

    int total();
}
