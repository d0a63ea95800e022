package org.redislocked.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.EnumMap;
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
            seed -> RoundPlan.usual("no faults", seed),
            seed -> RoundPlan.usual("connections and scripts", seed)
                    .faults(
                            Duration.ofMillis(150),
                            Fault.SCRIPTS_FLUSHED,
                            Fault.CONNECTIONS_KILLED,
                            Fault.SUBSCRIPTIONS_KILLED,
                            Fault.REDIS_PAUSED),
            seed -> RoundPlan.usual("processes", seed)
                    .faults(
                            Duration.ofMillis(400),
                            Fault.PROCESS_PAUSED,
                            Fault.PROCESS_PAUSED_LONG,
                            Fault.PROCESS_KILLED),
            seed -> RoundPlan.usual("Redis pauses", seed)
                    .faults(Duration.ofMillis(500), Fault.REDIS_PAUSED, Fault.REDIS_PAUSED_LONG),
            seed -> RoundPlan.usual("the way to Redis", seed)
                    .faults(
                            Duration.ofMillis(50),
                            Fault.CUT_BEFORE,
                            Fault.CUT_AFTER,
                            Fault.EXECUTED_LATE,
                            Fault.REPLY_DELAYED,
                            Fault.SIGNAL_LOST),
            seed -> RoundPlan.usual("all but loss of data", seed)
                    .faults(Duration.ofMillis(150), allBut(Fault.REDIS_EMPTIED)),
            seed -> RoundPlan.usual("all and loss of data", seed).faults(Duration.ofMillis(200), Fault.values()));

    private static Fault[] allBut(Fault fault) {
        return Stream.of(Fault.values()).filter(each -> each != fault).toArray(Fault[]::new);
    }

    @TestFactory
    Stream<DynamicTest> history_underFaults_keepsEveryPromise() {
        var binaries = RedisBinary.available();
        long start = System.nanoTime();
        return Stream.iterate(0, i -> i + 1)
                .takeWhile(i -> i < PLANS.size() || System.nanoTime() - start < LONG.toNanos())
                .map(i -> {
                    var plan = PLANS.get(i % PLANS.size())
                            .apply(SEED + i)
                            .on(binaries.get((int) ((SEED + i) % binaries.size())));
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
        private final Map<Fault, Integer> faults = new EnumMap<>(Fault.class);

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
