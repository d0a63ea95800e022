package org.redislocked.core;

import org.redislocked.RedisLockLostException;
import org.redislocked.RedisLockUnavailableException;

/** The exceptions that callers get, each with what happened, to which lock, what it means and what to do. */
final class LockErrors {

    private LockErrors() {}

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
