package org.redislocked.trial.cases.transactions;

/** What a case has done inside a method. */
@FunctionalInterface
public interface Work {

    /** For where only the method counts. */
    Work NONE = () -> {};

    void run() throws Exception;
}
