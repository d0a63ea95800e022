package org.redislocked.core;

/**
 * The tries of one queue to acquire its lock under one grant id.
 *
 * <p>A try whose answer was lost may have been executed, or will be until its {@code notAfter}. So the next try goes
 * out under the same id, and the lease of a success is counted from the first try that may have set it.
 *
 * <p>Used by the head of the queue only; one head's writes are visible to the next by the queue's mutex.
 */
final class Attempt {

    private final String grantId;

    private boolean inDoubt;
    private long firstSentNanos;
    private long lateUntilNanos;
    private long aliveUntilNanos;

    Attempt(String grantId) {
        this.grantId = grantId;
    }

    String grantId() {
        return grantId;
    }

    /**
     * The answer to a try was lost.
     *
     * @param lateUntil until when it may still be executed
     * @param aliveUntil until when it can then keep the key alive
     */
    void lostAnswer(long sentNanos, long lateUntil, long aliveUntil) {
        firstSentNanos = inDoubt ? firstSentNanos : sentNanos;
        lateUntilNanos = inDoubt ? Nanos.later(lateUntilNanos, lateUntil) : lateUntil;
        aliveUntilNanos = inDoubt ? Nanos.later(aliveUntilNanos, aliveUntil) : aliveUntil;
        inDoubt = true;
    }

    /** A try that was sent at that time found the lock with somebody else: what could not be late then, never was. */
    void contended(long sentNanos) {
        inDoubt = inDoubt && !Nanos.reached(lateUntilNanos, sentNanos);
    }

    /** {@return whether the grant id may be in the store without this client having been told} */
    boolean isInDoubt() {
        return inDoubt;
    }

    /** {@return until when a try that is in doubt may still be executed} */
    long lateUntilNanos() {
        return lateUntilNanos;
    }

    /** {@return until when the tries can keep the key alive, if the last can until {@code lastAliveUntil}} */
    long aliveUntilNanos(long lastAliveUntil) {
        return inDoubt ? Nanos.later(aliveUntilNanos, lastAliveUntil) : lastAliveUntil;
    }

    /** {@return from when to count the lease, if a try sent at {@code sentNanos} succeeded} */
    long leaseFromNanos(long sentNanos) {
        return inDoubt ? firstSentNanos : sentNanos;
    }
}
