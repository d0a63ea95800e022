package org.redislocked.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.redislocked.history.FaultKind.CONNECTIONS_KILLED;
import static org.redislocked.history.FaultKind.CUT_AFTER;
import static org.redislocked.history.FaultKind.CUT_BEFORE;
import static org.redislocked.history.FaultKind.EXECUTED_LATE;
import static org.redislocked.history.FaultKind.PROCESS_KILLED;
import static org.redislocked.history.FaultKind.PROCESS_PAUSED;
import static org.redislocked.history.FaultKind.PROCESS_PAUSED_LONG;
import static org.redislocked.history.FaultKind.REDIS_EMPTIED;
import static org.redislocked.history.FaultKind.REDIS_PAUSED;
import static org.redislocked.history.FaultKind.REDIS_PAUSED_LONG;
import static org.redislocked.history.FaultKind.REPLY_DELAYED;
import static org.redislocked.history.FaultKind.SCRIPTS_FLUSHED;
import static org.redislocked.history.FaultKind.SIGNAL_LOST;
import static org.redislocked.history.FaultKind.SUBSCRIPTIONS_KILLED;

import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.redislocked.testing.RedisBinary;

/**
 * Random locking under random faults keeps every promise. About a minute; for longer
 *
 * <pre>mvn test -Dtest=HistoryTest -Dhistory.minutes=30 [-Dhistory.seed=1]</pre>
 *
 * A seed repeats what is asked for and which faults are injected, though not when threads run.
 */
@Tag("faults")
class HistoryTest {
    private static final long SEED = Long.getLong("history.seed", 1);
    private static final Duration LONG = Duration.ofMinutes(Long.getLong("history.minutes", 0));

    private static final List<LongFunction<RoundPlan>> PLANS = List.of(
            seed -> new RoundPlan("no faults", seed),
            seed -> new RoundPlan("connections and scripts", seed)
                    .faults(
                            Duration.ofMillis(150),
                            EnumSet.of(SCRIPTS_FLUSHED, CONNECTIONS_KILLED, SUBSCRIPTIONS_KILLED, REDIS_PAUSED)),
            seed -> new RoundPlan("processes", seed)
                    .faults(Duration.ofMillis(400), EnumSet.of(PROCESS_PAUSED, PROCESS_PAUSED_LONG, PROCESS_KILLED)),
            seed -> new RoundPlan("Redis pauses", seed)
                    .faults(Duration.ofMillis(500), EnumSet.of(REDIS_PAUSED, REDIS_PAUSED_LONG)),
            seed -> new RoundPlan("the way to Redis", seed)
                    .faults(
                            Duration.ofMillis(50),
                            EnumSet.of(CUT_BEFORE, CUT_AFTER, EXECUTED_LATE, REPLY_DELAYED, SIGNAL_LOST)),
            seed -> new RoundPlan("all but loss of data", seed)
                    .faults(Duration.ofMillis(150), EnumSet.complementOf(EnumSet.of(REDIS_EMPTIED))),
            seed -> new RoundPlan("all and loss of data", seed)
                    .faults(Duration.ofMillis(200), EnumSet.allOf(FaultKind.class)));

    @TestFactory
    Stream<DynamicTest> history_underFaults_keepsEveryPromise() {
        var binaries = RedisBinary.available();
        long start = System.nanoTime();
        return Stream.iterate(0, i -> i + 1)
                .takeWhile(i -> i < PLANS.size() || System.nanoTime() - start < LONG.toNanos())
                .map(i -> {
                    var plan = PLANS.get(i % PLANS.size()).apply(SEED + i).on(binaries.get((int)
                            ((SEED + i) % binaries.size())));
                    return DynamicTest.dynamicTest(plan.title() + ", seed " + plan.seed(), () -> run(plan));
                });
    }

    private static void run(RoundPlan plan) {
        var report = Round.run(LONG.isZero() ? plan : plan.lasting(Duration.ofSeconds(20)));
        TOTAL.add(report);
        System.out.println(report + (LONG.isZero() ? "" : "\n" + TOTAL));
        assertThat(report.violations()).as(report.toString()).isEmpty();
        assertThat(report.history().holds()).hasSizeGreaterThan(10);
    }

    private static final Total TOTAL = new Total();

    private static final class Total {
        private long holds;
        private long grants;
        private long violations;
        private final Map<FaultKind, Integer> faults = new EnumMap<>(FaultKind.class);

        void add(Report report) {
            holds += report.history().holds().size();
            grants += report.grants();
            violations += report.violations().size();
            report.faults().forEach((fault, count) -> faults.merge(fault, count, Integer::sum));
        }

        @Override
        public String toString() {
            return "History so far: " + holds + " holds checked, " + grants + " grants, faults " + faults + ", "
                    + violations + " violations";
        }
    }
}
