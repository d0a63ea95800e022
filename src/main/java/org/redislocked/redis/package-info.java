/**
 * The lock in Redis: scripts, keys, connections and signals, and {@link org.redislocked.redis.RedisLockClient}, the way
 * in without a container and the only type here that applications use.
 *
 * <p>This package implements the {@link org.redislocked.core.LockStore} port. It knows {@code core}, the root package
 * and Jedis, and is the only one that imports Jedis. Grants, waiting and deadlines never enter it: it sends a command,
 * and says what became of it. Nor does a container: no JNDI, no CDI, no configuration source.
 */
@NullMarked
package org.redislocked.redis;

import org.jspecify.annotations.NullMarked;
