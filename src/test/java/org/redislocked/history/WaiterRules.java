package org.redislocked.history;

import static java.util.Comparator.comparingLong;
import static java.util.stream.Collectors.groupingBy;

import java.util.ArrayList;
import java.util.List;
import org.redislocked.history.History.Ask;
import org.redislocked.history.History.Hold;
import org.redislocked.history.Violation.Rule;

/** Whoever waits gets the lock when it is free, or an answer when the time is up. */
final class WaiterRules {
    /** A time in which nobody has a lock. */
    private record Gap(long from, long until) {}

    private WaiterRules() {}

    static void check(History history, Bounds bounds, List<Violation> violations) {
        backInTime(history, bounds, violations);
        var holds = history.holds().stream().collect(groupingBy(Hold::lock));
        var asks = history.asks().stream().collect(groupingBy(Ask::lock));
        asks.forEach((lock, waits) -> {
            var gaps = gaps(holds.getOrDefault(lock, List.of()), history, bounds);
            waits.forEach(ask -> notForgotten(ask, gaps, history, bounds, violations));
        });
    }

    private static void backInTime(History history, Bounds bounds, List<Violation> violations) {
        long allowed = bounds.operation().plus(bounds.blur()).toNanos();
        for (var ask : history.asks()) {
            boolean limited = ask.limitNanos() != History.NEVER && !ask.killed();
            if (limited && Math.min(ask.until(), history.end()) - ask.from() > ask.limitNanos() + allowed) {
                violations.add(new Violation(Rule.BACK_IN_TIME, ask.toString()));
            }
        }
    }

    /** Only those that are long enough to be noticed. */
    private static List<Gap> gaps(List<Hold> holds, History history, Bounds bounds) {
        var gaps = new ArrayList<Gap>();
        long free = Long.MIN_VALUE / 2;
        for (var hold : holds.stream().sorted(comparingLong(Hold::from)).toList()) {
            add(gaps, free, hold.from(), bounds);
            free = Math.max(free, Math.max(hold.until(), hold.left()));
        }
        add(gaps, free, history.end(), bounds);
        return gaps;
    }

    private static void add(List<Gap> gaps, long from, long until, Bounds bounds) {
        if (until - from > bounds.freeUnnoticed().toNanos()) {
            gaps.add(new Gap(from, until));
        }
    }

    private static void notForgotten(
            Ask ask, List<Gap> gaps, History history, Bounds bounds, List<Violation> violations) {
        if (ask.killed()) {
            return;
        }
        for (var gap : gaps) {
            long both = Math.min(gap.until, Math.min(ask.until(), history.end())) - Math.max(gap.from, ask.from());
            if (both > bounds.freeUnnoticed().toNanos()) {
                violations.add(new Violation(
                        Rule.NO_WAITER_FORGOTTEN,
                        ask + " waited for " + both / 1_000_000 + " ms while nobody had the lock, from " + gap.from
                                + " to " + gap.until));
                return;
            }
        }
        if (ask.until() == History.NEVER) {
            violations.add(new Violation(Rule.NO_WAITER_FORGOTTEN, ask + " still waited when all had ended"));
        }
    }
}
