package org.redislocked.core;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What the store's clock shows, estimated from its earlier answers and the local monotonic clock. */
final class ServerClock {

    /** After this time the drift between the clocks is worth another reading. */
    private static final long READING_LASTS_NANOS = Duration.ofMinutes(1).toNanos();

    private record Reading(long sentNanos, long timeMicros) {}

    private volatile @Nullable Reading last;

    /** Notes what the store's clock showed at some moment after {@code sentNanos}. */
    void observe(long sentNanos, long timeMicros) {
        last = new Reading(sentNanos, timeMicros);
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
}
