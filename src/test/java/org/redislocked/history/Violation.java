package org.redislocked.history;

/** A promise that was broken, and the events that show it. */
record Violation(Rule rule, String evidence) {

    enum Rule {
        TOKENS_UNIQUE,
        TOKENS_IN_ORDER,
        HOLDS_DISJOINT,
        HOLD_IN_REDIS,
        WRITES_FORWARD,
        WRITE_ACCEPTED,
        NO_ORPHAN,
        NOT_LATE,
        LEASE_BOUNDED,
        LEASE_NEVER_SHORTER,
        COUNT_RIGHT,
        NO_WAITER_FORGOTTEN,
        BACK_IN_TIME,
        AS_DOCUMENTED
    }

    @Override
    public String toString() {
        return rule + ": " + evidence;
    }
}
