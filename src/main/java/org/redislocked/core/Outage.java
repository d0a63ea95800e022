package org.redislocked.core;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Since when the store has failed all acquisitions of this client.
 *
 * <p>Shared by all its contenders: who fails when the store has been away for long does not begin to count anew.
 */
final class Outage {

    private record Span(long fromNanos, long toNanos) {}

    private final long longestNanos;
    private final AtomicReference<@Nullable Span> span = new AtomicReference<>();

    /** @param longest how long an outage lasts before waiters give up */
    Outage(Duration longest) {
        longestNanos = longest.toNanos();
    }

    /** The store has answered. */
    void end() {
        if (span.get() != null) { // hardly ever, and reading is cheaper
            span.set(null);
        }
    }

    /**
     * A try has failed.
     *
     * @return whether the outage has lasted for so long that waiters give up
     */
    boolean failed(long sentNanos, long nowNanos) {
        Span before;
        Span after;
        do {
            before = span.get();
            // After a long silence nothing is known of the time between: then this is the begin of another outage.
            after = before != null && sentNanos - before.toNanos <= longestNanos
                    ? new Span(before.fromNanos, nowNanos)
                    : new Span(sentNanos, nowNanos);
        } while (!span.compareAndSet(before, after));
        return nowNanos - after.fromNanos >= longestNanos;
    }
}
