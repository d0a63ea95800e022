package org.redislocked.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.redislocked.history.FaultKind.REDIS_EMPTIED;
import static org.redislocked.history.Plan.Ask.INTERRUPTED;
import static org.redislocked.history.Plan.Ask.LOCK;
import static org.redislocked.history.Plan.Ask.TRY;
import static org.redislocked.history.Plan.Work.LEASED;
import static org.redislocked.history.Plan.Work.LONG;
import static org.redislocked.history.Plan.Work.MIXED;
import static org.redislocked.history.Plan.Work.OVERDUE;
import static org.redislocked.history.Plan.Work.SHORT;
import static org.redislocked.history.Violation.Rule.AS_DOCUMENTED;
import static org.redislocked.history.Violation.Rule.COUNT_RIGHT;
import static org.redislocked.history.Violation.Rule.HOLD_IN_REDIS;
import static org.redislocked.history.Violation.Rule.LEASE_NEVER_SHORTER;
import static org.redislocked.history.Violation.Rule.NOT_LATE;
import static org.redislocked.history.Violation.Rule.NO_WAITER_FORGOTTEN;
import static org.redislocked.history.Violation.Rule.TOKENS_IN_ORDER;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.redislocked.history.Violation.Rule;
import org.redislocked.testing.Fault;
import org.redislocked.testing.FaultProxy.Command;
import org.redislocked.testing.FaultProxy.Policy;

/** The checker finds the bugs that it is there for: each under faults that provoke it, which the library withstands. */
@Tag("faults")
class MutantsTest {
    private static final int ROUNDS = 6;

    /** A bug, the faults that provoke it, and the rule that it breaks. */
    @SuppressWarnings("ImmutableEnumChecker") // it does not know that the lists in it are
    enum Bug {
        COUNT_IS_INCREMENTED(
                Mutant.of(
                        "redis/acquire.lua",
                        "redis.call('HSET', KEYS[1], ARGV[1], 1)\nend",
                        "end redis.call('HINCRBY', KEYS[1], ARGV[1], 1)"),
                COUNT_RIGHT) {
            @Override
            RoundPlan plan(RoundPlan plan) {
                return plan.processes(1)
                        .threads(2)
                        .locks("a", "b")
                        .works(LEASED)
                        .lasting(Duration.ofSeconds(1))
                        .always(firstOfEachGrant(Bug::isAcquire, Fault.CUT_AFTER));
            }
        },

        RELEASE_DOES_NOT_LOOK_WHOSE_IT_IS(
                Mutant.of("redis/release.lua", "if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end", ""),
                HOLD_IN_REDIS) {
            @Override
            RoundPlan plan(RoundPlan plan) {
                return rivals(plan, LEASED)
                        .always(firstOfEachGrant(Bug::isRelease, Fault.late(Duration.ofMillis(120))));
            }
        },

        DEADLINE_COUNTS_FROM_THE_ANSWER(
                Mutant.of("core/Contender.java", "attempt.leaseFromNanos(sent)", "nanoTime.getAsLong()"),
                HOLD_IN_REDIS) {
            @Override
            RoundPlan plan(RoundPlan plan) {
                return rivals(plan, OVERDUE).always(each(Bug::isAcquire, Fault.holdReply(Duration.ofMillis(200))));
            }
        },

        DEADLINE_IS_IGNORED(
                Mutant.of("core/Grant.java", "Nanos.reached(deadlineNanos.get(), nanoTime.getAsLong())", "false"),
                HOLD_IN_REDIS) {
            @Override
            RoundPlan plan(RoundPlan plan) {
                return rivals(plan, OVERDUE);
            }
        },

        RENEWAL_GOES_ON_AFTER_RELEASE(
                Mutant.of("core/Renewals.java", "hold.isRenewed() && hold.grant().isActive()", "true")
                        .and("core/HoldBook.java", "watched.remove(hold);", "")
                        .and(
                                "redis/count.lua",
                                "then return 0 end",
                                "then redis.call('HSET', KEYS[1], ARGV[1], 1) end"),
                HOLD_IN_REDIS) {
            @Override
            RoundPlan plan(RoundPlan plan) {
                return rivals(plan, SHORT, LONG);
            }
        },

        RENEWAL_SHORTENS_THE_LEASE(
                Mutant.of(
                        "redis/count.lua",
                        "math.max(0, redis.call('PTTL', KEYS[1])) < tonumber(ARGV[3])",
                        "ARGV[3] ~= '0'"),
                LEASE_NEVER_SHORTER) {
            @Override
            RoundPlan plan(RoundPlan plan) {
                return plan.processes(1).threads(1).works(MIXED).asks(LOCK).lasting(Duration.ofMillis(100));
            }
        },

        SLEEP_HAS_NO_END_WITHOUT_SIGNAL(
                Mutant.of("core/Contender.java", "Math.min(poll.toNanos(), untilFree)", "Long.MAX_VALUE / 2"),
                NO_WAITER_FORGOTTEN) {
            @Override
            RoundPlan plan(RoundPlan plan) {
                return rivals(plan, LEASED)
                        .always(each(Bug::isRelease, Fault.CUT_BEFORE))
                        .freeUnnoticed(Duration.ofSeconds(3));
            }
        },

        ACQUISITION_IS_EXECUTED_HOWEVER_LATE(
                Mutant.of("redis/acquire.lua", "notAfter > 0 and now > notAfter", "false"), NOT_LATE) {
            @Override
            RoundPlan plan(RoundPlan plan) {
                var late = plan.bounds().operation().plus(plan.bounds().blur()).plusMillis(800);
                return plan.processes(1)
                        .works(SHORT)
                        .asks(TRY)
                        .lasting(Duration.ofMillis(200))
                        .always(firstOfEachGrant(Bug::isAcquire, Fault.late(late)))
                        .lookingOn(late.plusMillis(500));
            }
        },

        TOKENS_COUNT_FROM_WHAT_REDIS_REMEMBERS(
                Mutant.of("redis/acquire.lua", "math.max(last + 1, ARGV[3] + 1, now)", "last + 1"), TOKENS_IN_ORDER) {
            @Override
            RoundPlan plan(RoundPlan plan) {
                return rivals(plan, SHORT).faults(Duration.ofMillis(150), EnumSet.of(REDIS_EMPTIED));
            }
        },

        INTERRUPT_IS_SWALLOWED(
                Mutant.of("core/Patience.java", "Thread.currentThread().interrupt();", ""), AS_DOCUMENTED) {
            @Override
            RoundPlan plan(RoundPlan plan) {
                return rivals(plan, LEASED).threads(2).asks(INTERRUPTED);
            }
        };

        private final Mutant mutant;
        private final Rule broken;

        Bug(Mutant mutant, Rule broken) {
            this.mutant = mutant;
            this.broken = broken;
        }

        abstract RoundPlan plan(RoundPlan plan);

        RoundPlan plan(long seed) {
            return plan(new RoundPlan(name(), seed));
        }

        /** Two processes that want one lock. */
        private static RoundPlan rivals(RoundPlan plan, Plan.Work... works) {
            return plan.processes(2)
                    .threads(1)
                    .locks("a")
                    .works(works)
                    .asks(LOCK)
                    .lasting(Duration.ofMillis(1_500));
        }

        // Not by the names of the scripts: the proxy does not know the changed ones.

        private static boolean isAcquire(Command command) {
            return command.name().startsWith("EVAL")
                    && command.arguments().get(1).equals("2")
                    && command.scriptArguments().size() > 2;
        }

        private static boolean isRelease(Command command) {
            return command.name().startsWith("EVAL")
                    && command.scriptArguments().stream().anyMatch(each -> each.contains("~channel:"));
        }

        private static Supplier<Policy> each(Predicate<Command> which, Fault fault) {
            return () -> command -> which.test(command) ? fault : Fault.PASS;
        }

        private static Supplier<Policy> firstOfEachGrant(Predicate<Command> which, Fault fault) {
            return () -> {
                Set<String> seen = ConcurrentHashMap.newKeySet();
                return command -> which.test(command) && seen.add(grant(command)) ? fault : Fault.PASS;
            };
        }

        private static String grant(Command command) {
            int keys = Integer.parseInt(command.arguments().get(1));
            return command.scriptArguments().get(keys);
        }
    }

    @ParameterizedTest
    @EnumSource
    void check_ofMutant_findsTheBug(Bug bug, @TempDir Path directory) throws IOException {
        bug.mutant.build(directory);
        Report report;
        int round = 0;
        do {
            report = Round.run(bug.plan(++round).inFront(directory));
        } while (!report.shows(bug.broken) && round < ROUNDS);
        System.out.println(report);
        assertThat(report.violations())
                .as("%s in %d rounds, the last being\n%s", bug, round, report)
                .anyMatch(violation -> violation.rule() == bug.broken);
    }

    @ParameterizedTest
    @EnumSource
    void check_ofTheLibraryUnderTheSameFaults_findsNothing(Bug bug) {
        var report = Round.run(bug.plan(1));
        System.out.println(report);
        assertThat(report.violations()).as(report.toString()).isEmpty();
        assertThat(report.history().asks()).isNotEmpty();
    }
}
