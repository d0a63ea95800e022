package org.redislocked.example;

/** The names of the shop's locks. */
final class Locks {

    static final String STOCK = "stock";
    static final String STOCKTAKE = "stocktake";
    static final String REPORT = "report";

    private Locks() {}
}
