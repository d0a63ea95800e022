/**
 * What tests of the library and of the example stand on: a real Redis, certificates, virtual threads. Goes into the
 * test-jar. Knows the JDK, Jedis, Testcontainers and embedded-redis, and nothing of the library.
 */
@NullMarked
package org.redislocked.testing;

import org.jspecify.annotations.NullMarked;
