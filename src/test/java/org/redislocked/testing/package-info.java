/**
 * What tests of the library and of the example stand on: a real Redis, a proxy that makes faults, certificates, virtual
 * threads. Goes into the
 * test-jar. Knows the JDK, Jedis, Testcontainers and embedded-redis, and of the library nothing but its scripts.
 */
@NullMarked
package org.redislocked.testing;

import org.jspecify.annotations.NullMarked;
