package org.redislocked.core;

import java.time.Duration;

/**
 * Arithmetic on readings of the monotonic clock, which may be negative and may overflow, and so are compared by their
 * difference only.
 */
final class Nanos {

    private Nanos() {}

    /** {@return whether {@code now} has reached {@code deadline}} */
    static boolean reached(long deadline, long now) {
        return now - deadline >= 0;
    }

    static long later(long a, long b) {
        return a - b >= 0 ? a : b;
    }

    /** {@return the time of the unit in nanoseconds, at most what is as good as for ever} */
    static long of(Duration duration) {
        return duration.compareTo(LockSettings.LONGEST) < 0 ? duration.toNanos() : LockSettings.LONGEST.toNanos();
    }
}
