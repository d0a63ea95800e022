package org.redislocked;

import java.time.Duration;
import java.util.List;

/**
 * A hold was lost: Redis no longer knows it, or its lease ended before it could be renewed. Somebody else may have the
 * lock, while the owner still works as if it had it.
 *
 * <p>It is a CDI event, fired asynchronously: {@code public void lost(@ObservesAsync LockLost loss)}. Where there is no CDI,
 * {@code RedisLockClient.Builder.onLost} takes a listener. Of a single hold, {@link Hold#onLost} tells.
 *
 * <p>It is told once for each lost hold, whoever notices first: the renewal, a waiter of the same JVM or the owner
 * itself. A JVM that is stopped notices when it goes on.
 *
 * @param lockName the name of the lock
 * @param holdId {@link Hold#id()}
 * @param fencingToken {@link Hold#fencingToken()}
 * @param late how long after the hold's last certain moment the loss was noticed; zero if it was before
 * @param reason what happened, as a part of a sentence
 * @param ownerThread the name of the thread that has the lock; empty where none has, but a transaction that has not
 *     ended, or a stage that is not complete
 * @param ownerStackTrace where that thread was when the loss was noticed, innermost frame first: usually still in the
 *     code that took the lock, and so among its callers. Empty if there is no thread, or it has ended
 */
public record LockLost(
        String lockName,
        String holdId,
        long fencingToken,
        Duration late,
        String reason,
        String ownerThread,
        List<StackTraceElement> ownerStackTrace) {

    /** {@return a sentence for a log: which hold, of which thread, and why} */
    @Override
    public String toString() {
        String owner = ownerThread.isEmpty() ? "" : ", of thread " + ownerThread + ",";
        return "Hold " + holdId + " of lock '" + lockName + "'" + owner + " was lost: " + reason;
    }
}
