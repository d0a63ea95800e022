package org.redislocked.core;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What the store's clock shows, estimated from its earlier answers and the local monotonic clock. */
final class ServerClock {

    /** After this time the drift between the clocks is worth another reading. */
    private static final long READING_LASTS_NANOS = Duration.ofMinutes(1).toNanos();

    /** Drift is at most one per cent of the age of a reading: twice the bound of {@link Lease} for a single clock. */
    private static final int DRIFT_DIVISOR = 100;

    private record Reading(long sentNanos, long answeredNanos, long timeMicros) {}

    private volatile @Nullable Reading last;

    /** Notes what the store's clock showed at some moment between the two. */
    void observe(long sentNanos, long answeredNanos, long timeMicros) {
        last = new Reading(sentNanos, answeredNanos, timeMicros);
    }

    boolean isFresh(long nowNanos) {
        Reading reading = last;
        return reading != null && nowNanos - reading.sentNanos < READING_LASTS_NANOS;
    }

    /** {@return the latest time that the store's clock may show at {@code nanos}; 0 if it was never read} */
    long latestMicrosAt(long nanos) {
        Reading reading = last;
        return reading == null ? 0 : reading.timeMicros + (nanos - reading.sentNanos) / 1_000;
    }

    /** {@return by how much the store's clock may reach {@link #latestMicrosAt} later than at {@code nanos}} */
    long uncertaintyNanos(long nanos) {
        Reading reading = last;
        return reading == null
                ? 0
                : reading.answeredNanos - reading.sentNanos + (nanos - reading.sentNanos) / DRIFT_DIVISOR;
    }
}
