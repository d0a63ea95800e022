package org.redislocked.history;

import static java.util.Comparator.comparingLong;
import static java.util.stream.Collectors.groupingBy;

import java.util.HashMap;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;
import org.redislocked.history.History.Hold;
import org.redislocked.history.Violation.Rule;

/** What the holds of one lock have to be to each other. */
final class HoldRules {
    private HoldRules() {}

    static void check(History history, Bounds bounds, List<Violation> violations) {
        var locks = history.holds().stream().collect(groupingBy(Hold::lock));
        for (var holds : locks.values()) {
            unique(holds, violations);
            ordered(holds, bounds, violations);
            if (bounds.exclusive()) {
                disjoint(holds, violations);
            }
        }
    }

    private static void unique(List<Hold> holds, List<Violation> violations) {
        var byToken = new HashMap<Long, Hold>();
        for (var hold : holds) {
            var other = byToken.put(hold.token(), hold);
            if (other != null) {
                violations.add(new Violation(Rule.TOKENS_UNIQUE, other + " and " + hold));
            }
        }
    }

    /**
     * The order of the grants is known where one was there before the other was asked for. Where holds exclude each
     * other, it is also that in which they began: one cannot have been granted before another and begin after it.
     */
    private static void ordered(List<Hold> holds, Bounds bounds, List<Violation> violations) {
        var begun = new PriorityQueue<>(comparingLong(Hold::from));
        begun.addAll(holds);
        Hold highest = null;
        for (var hold : sorted(holds, bounds)) {
            long granted = grantedAfter(hold, bounds);
            for (var earlier = begun.peek(); earlier != null && earlier.from() < granted; earlier = begun.peek()) {
                highest = higher(highest, begun.remove());
            }
            if (highest != null && highest.token() > hold.token()) {
                violations.add(new Violation(Rule.TOKENS_IN_ORDER, highest + " before " + hold));
            }
        }
    }

    private static List<Hold> sorted(List<Hold> holds, Bounds bounds) {
        return holds.stream()
                .sorted(comparingLong(hold -> grantedAfter(hold, bounds)))
                .toList();
    }

    private static long grantedAfter(Hold hold, Bounds bounds) {
        return bounds.exclusive() ? hold.from() : hold.asked();
    }

    private static Hold higher(@Nullable Hold one, Hold other) {
        return one != null && one.token() > other.token() ? one : other;
    }

    private static void disjoint(List<Hold> holds, List<Violation> violations) {
        Hold last = null;
        for (var hold : holds.stream().sorted(comparingLong(Hold::from)).toList()) {
            if (last != null && hold.from() < last.until() && hold.from() < hold.until()) {
                violations.add(new Violation(Rule.HOLDS_DISJOINT, last + " and " + hold));
            }
            last = last == null || hold.until() > last.until() ? hold : last;
        }
    }
}
