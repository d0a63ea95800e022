package org.redislocked.history;

/** What the {@link Nemesis} does. */
enum FaultKind {
    /** Redis does not answer for less than a lease. */
    REDIS_PAUSED,
    /** Redis does not answer for longer than a lease. */
    REDIS_PAUSED_LONG,
    /** Redis is killed and restarted without data: holds exclude each other no more. */
    REDIS_EMPTIED,
    PROCESS_KILLED,
    PROCESS_PAUSED,
    /** For longer than the lease. */
    PROCESS_PAUSED_LONG,
    SCRIPTS_FLUSHED,
    CONNECTIONS_KILLED,
    SUBSCRIPTIONS_KILLED,
    /** The connection is cut before Redis gets the command. */
    CUT_BEFORE,
    /** The connection is cut when Redis has executed the command. */
    CUT_AFTER,
    /** The connection is cut, and Redis executes the command later. */
    EXECUTED_LATE,
    /** The answer comes late. */
    REPLY_DELAYED,
    SIGNAL_LOST
}
