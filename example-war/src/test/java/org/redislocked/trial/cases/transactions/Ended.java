package org.redislocked.trial.cases.transactions;

/** Something has happened in a transaction that others want to know when that ends. */
public record Ended() {}
