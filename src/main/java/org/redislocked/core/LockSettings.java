package org.redislocked.core;

import java.time.Duration;
import java.util.regex.Pattern;

/**
 * What the engine can be told, checked.
 *
 * @param clientName a readable name for this client, shown in Redis and in messages
 * @param leaseTime of grants that are renewed
 * @param pollInterval how long a waiter sleeps at most between two attempts if no signal comes
 * @param commandTimeout how long one answer of the store may take
 * @param operationTimeout how long one operation of the store may take, with waiting for a connection
 * @param unavailableTimeout for how long the store may fail without a break before waiters give up
 * @param shutdownTimeout for how long {@link LockEngine#close()} waits for owners
 * @param maxHoldTime after which a hold is no longer renewed; zero: never
 * @param leakDetectionThreshold after which a hold is reported as one that lasts for too long; zero: never
 */
public record LockSettings(
        String clientName,
        Duration leaseTime,
        Duration pollInterval,
        Duration commandTimeout,
        Duration operationTimeout,
        Duration unavailableTimeout,
        Duration shutdownTimeout,
        Duration maxHoldTime,
        Duration leakDetectionThreshold) {

    /** Shorter leases end before a renewal can be relied on to arrive. */
    public static final Duration SHORTEST_LEASE = Duration.ofMillis(100);

    /** Longer leases and time-outs are mistakes, and would overflow nanoseconds. */
    public static final Duration LONGEST = Duration.ofDays(365);

    private static final Pattern CLIENT_NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");

    public LockSettings {
        if (!CLIENT_NAME.matcher(clientName).matches()) {
            throw new IllegalArgumentException(
                    "client-name: '" + clientName + "' is not allowed; use 1 to 64 letters, digits, '.', '_' and '-'");
        }
        requireBetween("lease-time", leaseTime, Duration.ofSeconds(1), LONGEST);
        requireBetween("poll-interval", pollInterval, Duration.ofMillis(10), Duration.ofMinutes(1));
        requireBetween("operation-timeout", operationTimeout, Duration.ofMillis(10), Duration.ofMinutes(3));
        requireBetween("unavailable-timeout", unavailableTimeout, Duration.ZERO, LONGEST);
        requireBetween("shutdown-timeout", shutdownTimeout, Duration.ZERO, Duration.ofMinutes(10));
        requireBetween("max-hold-time", maxHoldTime, Duration.ZERO, LONGEST);
        requireBetween("leak-detection-threshold", leakDetectionThreshold, Duration.ZERO, LONGEST);
    }

    /** {@return whether holds that last for too long are reported or ended} */
    boolean watchesLongHolds() {
        return !maxHoldTime.isZero() || !leakDetectionThreshold.isZero();
    }

    /** Refuses a value that is out of bounds, with a message that begins with its key. */
    public static void requireBetween(String key, Duration value, Duration least, Duration most) {
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw new IllegalArgumentException(
                    key + ": " + value + " is not allowed; it must be from " + least + " to " + most);
        }
    }
}
