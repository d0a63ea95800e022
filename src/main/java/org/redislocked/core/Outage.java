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
     * @param sinceNanos when the first try was sent of those of the same contender that have failed in a row
     * @return whether the outage has lasted for so long that waiters give up
     */
    boolean failed(long sinceNanos, long nowNanos) {
        Span before;
        Span after;
        do {
            before = span.get();
            // After a long silence nothing is known of the time between: then this is the begin of another outage. A
            // contender's own pauses are no silence, however long.
            after = before == null || sinceNanos - before.toNanos > longestNanos
                    ? new Span(sinceNanos, nowNanos)
                    : new Span(Nanos.earlier(before.fromNanos, sinceNanos), nowNanos);
        } while (!span.compareAndSet(before, after));
        return nowNanos - after.fromNanos >= longestNanos;
    }
}
