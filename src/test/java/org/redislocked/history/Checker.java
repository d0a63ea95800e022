package org.redislocked.history;

import java.util.ArrayList;
import java.util.List;
import org.redislocked.history.Violation.Rule;

/** Compares a history with what the library promises. */
final class Checker {
    private Checker() {}

    static List<Violation> check(History history, Bounds bounds) {
        var violations = new ArrayList<Violation>();
        HoldRules.check(history, bounds, violations);
        WriteRules.check(history, bounds, violations);
        RedisRules.check(history, bounds, violations);
        WaiterRules.check(history, bounds, violations);
        history.wrongs().forEach(wrong -> violations.add(new Violation(Rule.AS_DOCUMENTED, wrong)));
        return violations;
    }
}
