package org.redislocked;

import jakarta.ejb.ApplicationException;
import java.io.Serial;

/**
 * The hold was lost while the owner believed to have the lock: its lease ran out, or Redis no longer knows it.
 *
 * <p>Somebody else may have held the lock meanwhile. What was written under it since is to be checked, or protected
 * by a {@linkplain Hold#fencingToken() fencing token}.
 */
@ApplicationException(rollback = true)
public class RedisLockLostException extends IllegalMonitorStateException {

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
    public RedisLockLostException(String lockName, String message) {
        super(message);
        this.lockName = lockName;
    }

    /** {@return the name of the lock} */
    public String lockName() {
        return lockName;
    }
}
