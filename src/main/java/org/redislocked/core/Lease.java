package org.redislocked.core;

import java.time.Duration;

/**
 * For how long the store is asked to keep a grant.
 *
 * @param time what the store is told
 * @param renewed whether it is to be extended while the entry lasts
 */
record Lease(Duration time, boolean renewed) {

    /** ρ: how much the rates of the two clocks may differ. It counts twice, once for each of them. */
    private static final double CLOCK_DRIFT = 0.005;

    /** For what remains: rounding to milliseconds, and the way from a check of the deadline to what it guards. */
    private static final long GUARD_NANOS = Duration.ofMillis(10).toNanos();

    Lease {
        if (time.compareTo(LockSettings.SHORTEST_LEASE) < 0 || time.compareTo(LockSettings.LONGEST) > 0) {
            throw new IllegalArgumentException("A lease of " + time + " is not allowed; it must be from "
                    + LockSettings.SHORTEST_LEASE + " to " + LockSettings.LONGEST);
        }
    }

    static Lease explicit(Duration time) {
        return new Lease(time, false);
    }

    static Lease renewed(Duration time) {
        return new Lease(time, true);
    }

    /** {@return a lease of at least {@code atLeast} whose deadline is no earlier than {@code reach} after it was sent} */
    static Lease reaching(Duration reach, Duration atLeast) {
        double millis = reach.plusNanos(GUARD_NANOS).toMillis() / (1 - 2 * CLOCK_DRIFT);
        Duration needed = Duration.ofMillis((long) Math.ceil(millis) + 1); // 1 for what toMillis() has cut off
        return explicit(needed.compareTo(atLeast) > 0 ? needed : atLeast);
    }

    /** {@return until when it is certain that the store keeps the grant, if it was asked no earlier than {@code sent}} */
    long deadlineNanos(long sentNanos) {
        return sentNanos + (long) (Nanos.of(time) * (1 - 2 * CLOCK_DRIFT)) - GUARD_NANOS;
    }
}
