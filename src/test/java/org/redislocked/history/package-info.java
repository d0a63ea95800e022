/**
 * A history checker in the manner of Jepsen. {@link org.redislocked.history.Workload}s in JVMs of their own use locks at
 * random and keep a journal of what they were promised; a {@link org.redislocked.history.Nemesis} injects faults; a
 * {@link org.redislocked.history.RedisWatch} notes what Redis holds. Afterwards the
 * {@link org.redislocked.history.Checker} compares all of it with what the library promises. That it does find what is
 * wrong is shown by mutants of the library.
 *
 * <p>All times are readings of one clock: on Linux {@code System.nanoTime()} is CLOCK_MONOTONIC, which all processes of a
 * machine share. {@link org.redislocked.history.Round} checks that at the start of each process.
 */
@NullMarked
package org.redislocked.history;

import org.jspecify.annotations.NullMarked;
