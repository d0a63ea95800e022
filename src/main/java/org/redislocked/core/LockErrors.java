package org.redislocked.core;

import java.time.Duration;
import org.redislocked.RedisLockLostException;
import org.redislocked.RedisLockUnavailableException;

/** The exceptions that callers get, each with what happened, to which lock, what it means and what to do. */
final class LockErrors {

    private LockErrors() {}

    /** Loads what tells an owner of a loss: once the application has ended, the server may let no more classes be loaded. */
    static void load() {
        new RedisLockLostException("", "").fillInStackTrace();
    }

    static IllegalMonitorStateException notHeld(String lockName) {
        return new IllegalMonitorStateException("Lock '" + lockName + "' is not held by the current thread, '"
                + Thread.currentThread().getName() + "'");
    }

    static IllegalStateException closed(String lockName) {
        return new IllegalStateException(
                "Lock '" + lockName + "' was not acquired: its client was closed, as at the end of the application");
    }

    static IllegalStateException ended(ActiveHold hold) {
        return new IllegalStateException(hold + " has ended: its owner has left the lock");
    }

    static IllegalStateException notJoined(String lockName, IllegalStateException reason) {
        return new IllegalStateException(
                "Lock '" + lockName + "' cannot be kept until the end of the current transaction, which refuses to tell"
                        + " of it: " + reason.getMessage(),
                reason);
    }

    static IllegalStateException usedByStage(String lockName) {
        return new IllegalStateException("Lock '" + lockName + "' is kept by the current transaction, and work that an"
                + " asynchronous call began under it goes on: wait until that is complete before the next call");
    }

    static IllegalStateException transactionOver(String lockName) {
        return new IllegalStateException("Lock '" + lockName + "' was not acquired: the transaction that was to keep it"
                + " has ended meanwhile, as by its time-out");
    }

    static RedisLockLostException tooLateToCommit(ActiveHold hold, Duration left, Duration margin) {
        return new RedisLockLostException(
                hold.lockName(),
                hold + " may end before the commit: its lease has " + left.toMillis() + " ms left, and "
                        + margin.toMillis() + " ms are required. The transaction is rolled back");
    }

    static RedisLockUnavailableException unavailable(String lockName, String consequence, StoreException e) {
        return new RedisLockUnavailableException(
                lockName, "Lock '" + lockName + "': " + consequence + ". " + e.getMessage(), e);
    }

    static RedisLockLostException lost(ActiveHold hold) {
        return new RedisLockLostException(
                hold.lockName(),
                hold + " was lost: " + hold.lossReason()
                        + ". Somebody else may have held the lock since. Check what was done under it, or let the"
                        + " resource refuse fencing tokens older than the newest it has seen; this one was "
                        + hold.fencingToken());
    }
}
