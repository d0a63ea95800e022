/**
 * The container's side: what CDI sees of the library.
 *
 * <p>{@link org.redislocked.cdi.RedisLockExtension} finds locked methods and injected locks, checks them and the
 * configuration at deployment, and starts and closes the client.
 * {@link org.redislocked.cdi.RedisLockedInterceptor} takes the lock around a call; it knows the public interfaces
 * only, so that an application may replace them.
 *
 * <p>This is the only package that may import CDI, Interceptors, MicroProfile Config and JNDI. MicroProfile Config is
 * optional, and known to one class. What never enters: Jedis, the state of a lock, anything that waits or retries.
 *
 * <p>The package is internal; types are public where a container demands it.
 */
@NullMarked
package org.redislocked.cdi;

import org.jspecify.annotations.NullMarked;
