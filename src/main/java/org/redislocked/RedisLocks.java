package org.redislocked;

import java.util.Optional;

/**
 * Gives locks by name. Inject it, or build one without a container by {@code RedisLockClient.builder()}.
 *
 * <p>All methods may be called by any thread; none of them talks to Redis.
 */
public interface RedisLocks {

    /**
     * {@return the lock of this name}
     *
     * <p>The handle is cheap and holds nothing: get it where it is needed, or keep it.
     *
     * @param name 1 to 256 characters, not beginning with {@code ~}, which the library keeps for its own keys
     * @throws IllegalArgumentException if the name is not so
     */
    ReentrantRedisLock get(String name);

    /**
     * {@return the hold that the current thread began last and that has neither ended nor been lost}
     *
     * <p>Inside a {@link RedisLocked} method that is the hold of its lock, and so a way to its
     * {@linkplain Hold#fencingToken() fencing token}.
     */
    Optional<Hold> current();
}
