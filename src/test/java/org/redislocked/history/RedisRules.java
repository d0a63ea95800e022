package org.redislocked.history;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.redislocked.history.History.Entry;
import org.redislocked.history.History.Hold;
import org.redislocked.history.History.Snapshot;
import org.redislocked.history.Violation.Rule;

/** What Redis may hold and must hold, compared with what the workloads believe. */
final class RedisRules {
    /** Redis rounds to milliseconds and uses the wall clock, which is slewed at times. */
    private static final long CLOCK_BLUR = Duration.ofMillis(30).toNanos();

    private final History history;
    private final Bounds bounds;
    private final List<Violation> violations;
    private final Map<String, List<Hold>> holdsByGrant;
    private final Map<String, TreeMap<Long, Hold>> holdsByLock;
    private final Interest interest;

    /** A grant is reported once for each rule. */
    private final Set<String> reported = new HashSet<>();

    private RedisRules(History history, Bounds bounds, List<Violation> violations) {
        this.history = history;
        this.bounds = bounds;
        this.violations = violations;
        holdsByGrant = history.holds().stream().collect(groupingBy(Hold::grant));
        holdsByLock = history.holds().stream()
                .collect(groupingBy(Hold::lock, toMap(Hold::from, hold -> hold, RedisRules::longer, TreeMap::new)));
        interest = new Interest(history);
    }

    static void check(History history, Bounds bounds, List<Violation> violations) {
        new RedisRules(history, bounds, violations).check();
    }

    private void check() {
        Snapshot last = null;
        var seen = new HashSet<String>();
        for (var snapshot : history.snapshots()) {
            for (var entry : snapshot.entries()) {
                leaseBounded(entry, snapshot);
                countRight(entry, snapshot);
                noOrphan(entry, snapshot);
                if (seen.add(entry.grant()) && last != null) {
                    notLate(entry, last, snapshot);
                }
                if (bounds.exclusive() && last != null) {
                    neverShorter(entry, last, snapshot);
                }
            }
            if (bounds.exclusive()) {
                promisesKept(snapshot);
            }
            last = snapshot;
        }
    }

    private void leaseBounded(Entry entry, Snapshot snapshot) {
        if (entry.leaseMillis() < 0
                || entry.leaseMillis() > bounds.longestLease().toMillis()) {
            report(Rule.LEASE_BOUNDED, entry, entry + " at " + snapshot.to());
        }
    }

    /** The count is for show, and may be that of a moment ago; but nobody ever entered more often than it was entered. */
    private void countRight(Entry entry, Snapshot snapshot) {
        int deepest = holdsByGrant.getOrDefault(entry.grant(), List.of()).stream()
                .mapToInt(Hold::deepest)
                .max()
                .orElse(1);
        if (entry.count() < 1 || entry.count() > deepest) {
            report(Rule.COUNT_RIGHT, entry, entry + " at " + snapshot.to() + ", entered at most " + deepest + " times");
        }
    }

    /** Whatever went wrong: one lease after the last command that anybody of the client can have sent for it, it is gone. */
    private void noOrphan(Entry entry, Snapshot snapshot) {
        long wanted = interest.lastBefore(entry, snapshot.to()); // the look may have been held up until somebody asked
        Duration bound = bounds.longestLease().plus(bounds.operation()).plus(bounds.blur());
        if (snapshot.from() - wanted > bound.toNanos()) {
            report(
                    Rule.NO_ORPHAN,
                    entry,
                    entry + " at " + snapshot.from() + ", though nobody of its client asked for it, waited or held it"
                            + " since " + wanted + ", " + (snapshot.from() - wanted) / 1_000_000 + " ms before");
        }
    }

    /** An acquisition that reaches Redis later than its caller can await the answer is refused. */
    private void notLate(Entry entry, Snapshot before, Snapshot snapshot) {
        long wanted = interest.lastBefore(entry, snapshot.to()); // the look may have been held up until somebody asked
        Duration bound = bounds.operation().plus(bounds.blur());
        if (before.from() - wanted > bound.toNanos()) {
            report(
                    Rule.NOT_LATE,
                    entry,
                    entry + " came after " + before.from() + ", though nobody of its client waited since " + wanted
                            + ", " + (before.from() - wanted) / 1_000_000 + " ms before");
        }
    }

    private void neverShorter(Entry entry, Snapshot before, Snapshot snapshot) {
        var hold = holdDuring(entry.lock(), before.from(), snapshot.to());
        if (hold == null || !hold.grant().equals(entry.grant())) {
            return; // it may have been gone meanwhile
        }
        for (var earlier : before.entries()) {
            long endedThen =
                    before.from() + Duration.ofMillis(earlier.leaseMillis()).toNanos();
            long endsNow =
                    snapshot.to() + Duration.ofMillis(entry.leaseMillis() + 1).toNanos();
            if (earlier.grant().equals(entry.grant()) && endsNow + CLOCK_BLUR < endedThen) {
                report(
                        Rule.LEASE_NEVER_SHORTER,
                        entry,
                        earlier + " at " + before.from() + ", then " + entry + " at " + snapshot.to() + " in " + hold);
            }
        }
    }

    private void promisesKept(Snapshot snapshot) {
        var grants = snapshot.entries().stream().collect(groupingBy(Entry::lock, mapping(Entry::grant, toSet())));
        for (var lock : holdsByLock.keySet()) {
            var hold = holdDuring(lock, snapshot.from(), snapshot.to());
            if (hold != null && !Set.of(hold.grant()).equals(grants.get(lock)) && reported.add(hold.id())) {
                violations.add(new Violation(
                        Rule.HOLD_IN_REDIS,
                        hold + ", but between " + snapshot.from() + " and " + snapshot.to() + " Redis has "
                                + snapshot.entries()));
            }
        }
    }

    private @Nullable Hold holdDuring(String lock, long from, long to) {
        var candidate = holdsByLock.getOrDefault(lock, new TreeMap<>()).floorEntry(from);
        return candidate != null && candidate.getValue().until() >= to ? candidate.getValue() : null;
    }

    private void report(Rule rule, Entry entry, String evidence) {
        if (reported.add(rule + entry.grant())) {
            violations.add(new Violation(rule, evidence));
        }
    }

    private static Hold longer(Hold one, Hold other) {
        return one.until() > other.until() ? one : other;
    }
}
