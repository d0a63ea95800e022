package org.redislocked.history;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/**
 * What one workload process is to do.
 *
 * @param client the name of its client, by which Redis' grants are told apart
 * @param duration for how long to begin new holds; the first line that it reads begins it
 * @param works which kinds of holds, each as often as it is listed
 * @param asks which ways of asking for the lock, likewise
 */
record Plan(
        String client,
        long seed,
        int threads,
        Duration duration,
        Duration lease,
        Duration poll,
        Duration timeout,
        Duration patience,
        List<String> locks,
        List<Work> works,
        List<Ask> asks,
        URI redis,
        URI resource,
        Path journal) {

    static final String PREFIX = "history:";

    /** How a lock is asked for. */
    enum Ask {
        LOCK,
        TRY,
        TRY_FOR,
        INTERRUPTED
    }

    /** What is done with it. */
    enum Work {
        /** Hardly anything. */
        SHORT,
        /** Enters again, some times. */
        NESTED,
        /** Lasts for longer than the lease, so that it has to be renewed. */
        LONG,
        /** With an explicit lease, which is used almost to its end. */
        LEASED,
        /** With an explicit lease that ends before the work does. */
        OVERDUE,
        /** With an explicit lease, and inside it for a moment a renewed entry, whose lease is shorter. */
        MIXED
    }

    /** For an explicit lease that is longer than the renewed one. */
    Duration longLease() {
        return longLease(lease);
    }

    static Duration longLease(Duration renewedLease) {
        return renewedLease.multipliedBy(5).dividedBy(2);
    }

    /** For an explicit lease that is too short. */
    Duration shortLease() {
        return lease.dividedBy(3);
    }

    String[] toArguments() {
        return new String[] {
            client,
            Long.toString(seed),
            Integer.toString(threads),
            duration.toString(),
            lease.toString(),
            poll.toString(),
            timeout.toString(),
            patience.toString(),
            String.join(",", locks),
            String.join(",", works.stream().map(Work::name).toList()),
            String.join(",", asks.stream().map(Ask::name).toList()),
            redis.toString(),
            resource.toString(),
            journal.toString()
        };
    }

    static Plan of(String... arguments) {
        var rest = Arrays.asList(arguments).iterator();
        return new Plan(
                rest.next(),
                Long.parseLong(rest.next()),
                Integer.parseInt(rest.next()),
                Duration.parse(rest.next()),
                Duration.parse(rest.next()),
                Duration.parse(rest.next()),
                Duration.parse(rest.next()),
                Duration.parse(rest.next()),
                list(rest.next()),
                list(rest.next()).stream().map(Work::valueOf).toList(),
                list(rest.next()).stream().map(Ask::valueOf).toList(),
                URI.create(rest.next()),
                URI.create(rest.next()),
                Path.of(rest.next()));
    }

    private static List<String> list(String text) {
        return Arrays.asList(text.split(",", -1));
    }
}
