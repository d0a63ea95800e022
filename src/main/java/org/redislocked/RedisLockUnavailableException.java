package org.redislocked;

import jakarta.ejb.ApplicationException;
import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * Redis cannot be reached, or refuses what the lock needs: the message tells which of a wrong password, a missing
 * permission, a key of another type, memory that is used up, and the like. The lock was not acquired.
 */
@ApplicationException(rollback = true)
public class RedisLockUnavailableException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    /** The name of the lock. */
    private final String lockName;

    /**
     * For the library.
     *
     * @param lockName the name of the lock
     * @param message what happened, what it means and what to do
     * @param cause what the Redis client reported; null if it is not the cause
     */
    public RedisLockUnavailableException(String lockName, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.lockName = lockName;
    }

    /** {@return the name of the lock} */
    public String lockName() {
        return lockName;
    }
}
