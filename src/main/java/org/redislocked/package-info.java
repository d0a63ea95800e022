/**
 * What applications import: the annotations, the lock, its holds and its exceptions.
 *
 * <p>This package knows the JDK and the annotation APIs of Jakarta EE. It holds no behaviour: the lock itself lives in
 * {@code core}, Redis in {@code redis}, the container in {@code cdi}. Those three packages are internal, apart from
 * {@code org.redislocked.redis.RedisLockClient}, the way in without a container.
 */
@NullMarked
package org.redislocked;

import org.jspecify.annotations.NullMarked;
