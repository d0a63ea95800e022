package org.redislocked.history;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.redislocked.history.History.Hold;

/** What a round has shown. */
record Report(RoundPlan plan, History history, Map<FaultKind, Integer> faults, List<Violation> violations) {
    private static final int SHOWN = 10;

    long grants() {
        var held = history.holds().stream().map(Hold::grant);
        var seen = history.snapshots().stream()
                .flatMap(look -> look.entries().stream().map(entry -> entry.grant()));
        return Stream.concat(held, seen).distinct().count();
    }

    boolean shows(Violation.Rule rule) {
        return violations.stream().anyMatch(violation -> violation.rule() == rule);
    }

    /** One line, and the first violations if there are any. */
    @Override
    public String toString() {
        var lost = history.holds().stream()
                .filter(hold -> hold.how() == History.How.LOST)
                .count();
        var line = "History \"" + plan.title() + "\": seed " + plan.seed() + ", " + plan.binary() + ", "
                + history.holds().size() + " holds checked (" + lost + " lost), " + grants() + " grants, "
                + history.snapshots().size() + " looks at Redis, faults " + faults + ", " + violations.size()
                + " violations";
        return violations.stream()
                .limit(SHOWN)
                .map(violation -> "\n  " + violation)
                .collect(Collectors.joining("", line, ""));
    }
}
