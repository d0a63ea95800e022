package org.redislocked.core;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Since when the store has failed all acquisitions of this client, and what that means for those who come.
 *
 * <p>Shared by all contenders: who fails when the store has been away for long does not begin to count anew. Once the
 * outage has lasted for the {@code unavailable-timeout}, the store is <em>given up</em>: one caller at a time may still
 * try, which is how the outage ends, and everybody else fails at once, so that the threads of a server do not pile up
 * before a store that hangs.
 */
final class Outage {

    /** For how long an outage that nobody has noticed again is believed, at least. */
    private static final long SHORTEST_MEMORY_NANOS = Duration.ofSeconds(1).toNanos();

    /** How many operations of full length a try has at the most: its probe must not outlast the memory. */
    private static final int OPERATIONS_A_TRY = 3;

    /**
     * @param fromNanos of an outage: the first try that failed. Of one that has ended: when
     * @param toNanos the last try that failed, or the same
     */
    private record Span(long fromNanos, long toNanos, StoreException failure, boolean ended) {}

    private final long longestNanos;
    private final long memoryNanos;
    private final AtomicReference<@Nullable Span> span = new AtomicReference<>();
    private final AtomicBoolean probing = new AtomicBoolean();

    /**
     * @param longest how long an outage lasts before waiters give up
     * @param operationTimeout how long one operation may take
     */
    Outage(Duration longest, Duration operationTimeout) {
        longestNanos = longest.toNanos();
        memoryNanos = Math.max(
                Math.max(longestNanos, SHORTEST_MEMORY_NANOS),
                operationTimeout.multipliedBy(OPERATIONS_A_TRY).toNanos());
    }

    /** The store has answered. */
    void end(LongSupplier nanoTime) {
        Span before = span.get();
        if (before != null && !before.ended) { // hardly ever, and reading is cheaper
            long now = nanoTime.getAsLong();
            span.set(new Span(now, now, before.failure, true));
        }
    }

    /**
     * A try has failed.
     *
     * @param sinceNanos when the first try was sent of those of the same contender that have failed in a row
     * @return whether the store is given up
     */
    boolean failed(long sinceNanos, long nowNanos, StoreException failure) {
        Span before;
        Span after;
        do {
            before = span.get();
            after = continued(before, sinceNanos, nowNanos, failure);
        } while (!span.compareAndSet(before, after));
        return isGivenUp(after, nowNanos);
    }

    private Span continued(@Nullable Span before, long sinceNanos, long nowNanos, StoreException failure) {
        if (before == null) {
            return new Span(sinceNanos, nowNanos, failure, false);
        }
        if (before.ended) { // somebody was answered meanwhile: so much for "without a break"
            return new Span(Nanos.later(sinceNanos, before.toNanos), nowNanos, failure, false);
        }
        // After a long silence nothing is known of the time between: then this is the begin of another outage. A
        // contender's own pauses are no silence, however long.
        return sinceNanos - before.toNanos > memoryNanos
                ? new Span(sinceNanos, nowNanos, failure, false)
                : new Span(
                        Nanos.earlier(before.fromNanos, sinceNanos),
                        Nanos.later(before.toNanos, nowNanos),
                        failure,
                        false);
    }

    /** {@return what the last try has met, if it has failed, lately; null if the store answers as far as is known} */
    @Nullable
    StoreException failure(long nowNanos) {
        Span outage = span.get();
        return outage == null || outage.ended || nowNanos - outage.toNanos > memoryNanos ? null : outage.failure;
    }

    /** {@return whether the store is given up, as far as somebody has tried lately} */
    boolean isGivenUp(long nowNanos) {
        Span outage = span.get();
        return outage != null && isGivenUp(outage, nowNanos);
    }

    private boolean isGivenUp(Span outage, long nowNanos) {
        return !outage.ended
                && outage.toNanos - outage.fromNanos >= longestNanos
                && nowNanos - outage.toNanos <= memoryNanos;
    }

    /**
     * {@return why a caller has to fail without a try; null if it may try, or wait for who does}
     *
     * @param arrivedNanos when the caller came: if a try has failed since, its own would tell nothing new
     * @param waitNanos for how long it would wait for the try of another; 0 or less if there is nobody to wait for
     */
    @Nullable
    StoreException refusal(long arrivedNanos, long waitNanos, long nowNanos) {
        Span outage = span.get();
        if (outage == null || !isGivenUp(outage, nowNanos)) {
            return null;
        }
        boolean triedSince = outage.toNanos - arrivedNanos > 0;
        if (!triedSince && waitNanos > 0) {
            return null;
        }
        long seconds = Duration.ofNanos(nowNanos - outage.fromNanos).toSeconds();
        return new StoreException(
                StoreException.Kind.UNREACHABLE,
                outage.failure.getMessage() + " It has failed without a break for " + seconds
                        + " s; until it answers, only one call at a time tries.",
                outage.failure.getCause());
    }

    /** {@return whether the caller is the one that tries, though the store is given up; then it has to end that} */
    boolean beginProbe() {
        return probing.compareAndSet(false, true);
    }

    void endProbe() {
        probing.set(false);
    }
}
