package org.redislocked.core;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** Pauses between tries that fail: each twice as long as the one before, with jitter so that clients spread. */
public final class Backoff {

    private final long firstNanos;
    private final long longestNanos;
    private int failures;

    public Backoff(Duration first, Duration longest) {
        firstNanos = first.toNanos();
        longestNanos = longest.toNanos();
    }

    /** {@return how many tries have failed in a row} */
    public int failures() {
        return failures;
    }

    public void reset() {
        failures = 0;
    }

    /** Counts a failure, and {@return the pause after it in nanoseconds} */
    public long nextNanos() {
        long pause = failures < 30 ? Math.min(longestNanos, firstNanos << failures) : longestNanos;
        failures++;
        return pause / 2 + ThreadLocalRandom.current().nextLong(pause / 2 + 1);
    }
}
