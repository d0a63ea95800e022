package org.redislocked.core;

/**
 * The tries of one queue to acquire its lock under one grant id.
 *
 * <p>A try whose answer was lost may have been executed, or will be until its {@code notAfter}. So the next try goes
 * out under the same id, and a success then is counted from the first try that may have set the lease.
 *
 * <p>Used by the head of the queue only; one head's writes are visible to the next by the queue's mutex.
 */
final class Attempt {

    private final String grantId;

    private boolean inDoubt;
    private long firstSentNanos;
    private long lateUntilNanos;

    Attempt(String grantId) {
        this.grantId = grantId;
    }

    String grantId() {
        return grantId;
    }

    /** A try was sent and its answer was lost. */
    void lostAnswer(long sentNanos, long lateUntil) {
        firstSentNanos = inDoubt ? firstSentNanos : sentNanos;
        lateUntilNanos = inDoubt ? Nanos.later(lateUntilNanos, lateUntil) : lateUntil;
        inDoubt = true;
    }

    /** Somebody else has the lock: whatever was in doubt has not been executed, and will not be after its time. */
    void contended(long nowNanos) {
        inDoubt = inDoubt && !Nanos.reached(lateUntilNanos, nowNanos);
    }

    /** {@return whether the grant id may be in the store without this client having been told} */
    boolean isInDoubt() {
        return inDoubt;
    }

    /** {@return until when a try that is in doubt may still be executed} */
    long lateUntilNanos() {
        return lateUntilNanos;
    }

    /** {@return from when to count the lease, if a try sent at {@code sentNanos} succeeded} */
    long leaseFromNanos(long sentNanos) {
        return inDoubt ? firstSentNanos : sentNanos;
    }
}
