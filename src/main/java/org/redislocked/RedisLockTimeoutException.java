package org.redislocked;

import jakarta.ejb.ApplicationException;
import java.io.Serial;

/**
 * The lock could not be had within the access time-out: somebody else holds it, and the message says who and for how
 * long. The method was not run.
 */
@ApplicationException(rollback = true)
public class RedisLockTimeoutException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    /** The name of the lock. */
    private final String lockName;

    /**
     * For the library.
     *
     * @param lockName the name of the lock
     * @param message what happened, what it means and what to do
     */
    public RedisLockTimeoutException(String lockName, String message) {
        super(message);
        this.lockName = lockName;
    }

    /** {@return the name of the lock} */
    public String lockName() {
        return lockName;
    }
}
