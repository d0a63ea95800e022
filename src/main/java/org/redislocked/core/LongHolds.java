package org.redislocked.core;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * What to do with holds that last for very long: they are reported after the {@code leak-detection-threshold}, and not
 * renewed any more after the {@code max-hold-time}.
 */
final class LongHolds {

    private static final Logger LOG = System.getLogger("org.redislocked");
    private static final int FRAMES = 12;

    private final long reportedAfterNanos;
    private final long renewedForNanos;
    private final LongSupplier nanoTime;

    LongHolds(LockSettings settings, LongSupplier nanoTime) {
        reportedAfterNanos = nanosOrNever(settings.leakDetectionThreshold());
        renewedForNanos = nanosOrNever(settings.maxHoldTime());
        this.nanoTime = nanoTime;
    }

    private static long nanosOrNever(Duration time) {
        return time.isZero() ? Long.MAX_VALUE : Nanos.of(time);
    }

    /** To be called again and again by the one thread that renews. */
    void check(ActiveHold hold) {
        long heldNanos = nanoTime.getAsLong() - hold.sinceNanos();
        if (heldNanos >= renewedForNanos && hold.isRenewed()) {
            hold.stopRenewal();
            LOG.log(
                    Level.WARNING,
                    "Lock ''{0}'' is not renewed any more and ends in {1} ms, since it has been held for {2} s, longer than"
                            + " redis-lock.max-hold-time: {3}",
                    hold.lockName(),
                    String.valueOf(hold.remainingLease().toMillis()),
                    String.valueOf(Duration.ofNanos(heldNanos).toSeconds()),
                    where(hold));
        }
        if (heldNanos >= reportedAfterNanos && hold.isToBeReported()) {
            LOG.log(
                    Level.WARNING,
                    "Lock ''{0}'' has been held for {1} s, longer than redis-lock.leak-detection-threshold: {2}",
                    hold.lockName(),
                    String.valueOf(Duration.ofNanos(heldNanos).toSeconds()),
                    where(hold));
        }
    }

    private static String where(ActiveHold hold) {
        String place = hold.guardedCalls().place();
        String taken = place == null ? "" : "taken at " + place + ", ";
        Thread owner = hold.owner();
        if (owner == null) {
            return taken + "now kept by a transaction or stage that has not ended";
        }
        return taken + "by thread " + owner.getName() + ", which is at"
                + Arrays.stream(owner.getStackTrace())
                        .limit(FRAMES)
                        .map(frame -> "\n    " + frame)
                        .collect(Collectors.joining());
    }
}
