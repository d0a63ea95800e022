package org.redislocked.core;

import org.jspecify.annotations.Nullable;

/**
 * The calls that have entered a hold by hand, and so may be forgotten to leave. Which level they are at is not known, since
 * calls are only counted.
 *
 * <p>Written by the hold's owner, but for what a request says at its end, and read by anybody.
 */
final class GuardedCalls {

    private volatile int count;

    /** How often there was a first one. */
    private volatile int period;

    // of the first one
    private volatile @Nullable Object request;
    private volatile @Nullable String place;
    private volatile boolean requestEnded;

    /** Whether the thread was seen in another request since. */
    private volatile boolean left;

    int count() {
        return count;
    }

    int period() {
        return period;
    }

    /** {@return where the first one came from, if somebody wants to know} */
    @Nullable
    String place() {
        return place;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // by the owner only
    void begin(@Nullable String from) {
        place = from;
        requestEnded = false;
        left = false;
        period++;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // by the owner only
    void enter(@Nullable Object from) {
        if (count == 0) {
            request = from;
        }
        count++;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // by the owner only
    void leave() {
        if (count > 0) { // else somebody leaves what he has not entered
            count--;
        }
    }

    /** {@return whether the first one came from another request than this} */
    boolean isOfOther(@Nullable Object current) {
        Object first = request;
        return count > 0 && first != null && current != null && current != first;
    }

    void requestEnded() {
        requestEnded = true;
    }

    boolean isRequestEnded() {
        return count > 0 && requestEnded;
    }

    void leftByItsThread() {
        left = true;
    }

    boolean isLeftByItsThread() {
        return left;
    }
}
