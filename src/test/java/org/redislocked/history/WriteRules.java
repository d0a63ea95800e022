package org.redislocked.history;

import static java.util.stream.Collectors.toMap;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.redislocked.history.History.Hold;
import org.redislocked.history.History.Write;
import org.redislocked.history.Violation.Rule;

/** What the resource, which refuses tokens lower than the highest it has seen, has to tell. */
final class WriteRules {
    private WriteRules() {}

    static void check(History history, Bounds bounds, List<Violation> violations) {
        forward(history.writes(), violations);
        if (bounds.exclusive()) {
            accepted(history, violations);
        }
    }

    private static void forward(List<Write> writes, List<Violation> violations) {
        Map<String, Write> last = new HashMap<>();
        for (var write : writes) {
            if (!write.accepted()) {
                continue;
            }
            var before = last.put(write.lock(), write);
            if (before != null && before.token() > write.token()) {
                violations.add(new Violation(Rule.WRITES_FORWARD, before + " before " + write));
            }
        }
    }

    /** Who has the lock has the highest token. */
    private static void accepted(History history, List<Violation> violations) {
        Map<String, Hold> holds = history.holds().stream().collect(toMap(Hold::id, hold -> hold, (a, b) -> a));
        for (var refusal : history.refusals()) {
            var hold = holds.get(refusal.holdId());
            if (hold != null && refusal.known() < hold.until()) {
                violations.add(new Violation(Rule.WRITE_ACCEPTED, refusal + " during " + hold));
            }
        }
    }
}
