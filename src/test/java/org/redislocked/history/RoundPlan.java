package org.redislocked.history;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.redislocked.history.Plan.Ask;
import org.redislocked.history.Plan.Work;
import org.redislocked.testing.Fault;
import org.redislocked.testing.FaultProxy;
import org.redislocked.testing.RedisBinary;

/** What happens in one round: every kind of hold and of waiting in three processes, unless it is told otherwise. */
final class RoundPlan {
    /** What the machine may add to anything, when it has much to do. */
    private static final Duration MACHINE = Duration.ofMillis(1_500);

    /** Few long ones give many holds. */
    private static final List<Work> MOSTLY_SHORT = Stream.of(
                    Collections.nCopies(16, Work.SHORT), Collections.nCopies(12, Work.NESTED), List.of(Work.values()))
            .flatMap(List::stream)
            .toList();

    private static final Duration LEASE = Duration.ofSeconds(1);
    private static final Duration POLL = Duration.ofMillis(300);
    private static final Duration TIMEOUT = Duration.ofMillis(400);

    private final String title;
    private final long seed;
    private RedisBinary binary = RedisBinary.preferred();
    private int processes = 3;
    private int threads = 3;
    private List<String> locks = List.of("a", "b", "c", "d", "e", "f");
    private Duration duration = Duration.ofMillis(4_500);
    private List<Work> works = MOSTLY_SHORT;
    private List<Ask> asks = List.of(Ask.values());
    private Set<FaultKind> faults = Set.of();
    private Duration calm = Duration.ofMillis(300);
    private Supplier<FaultProxy.Policy> always = () -> command -> Fault.PASS;
    private Duration freeUnnoticed = Duration.ofSeconds(8);
    private Duration lookOn = Duration.ZERO;
    private List<Path> inFront = List.of();

    RoundPlan(String title, long seed) {
        this.title = title;
        this.seed = seed;
    }

    RoundPlan on(RedisBinary redis) {
        binary = redis;
        return this;
    }

    RoundPlan processes(int number) {
        processes = number;
        return this;
    }

    RoundPlan threads(int number) {
        threads = number;
        return this;
    }

    RoundPlan locks(String... names) {
        locks = List.of(names);
        return this;
    }

    /** For how long new holds are begun. */
    RoundPlan lasting(Duration time) {
        duration = time;
        return this;
    }

    RoundPlan works(Work... kinds) {
        works = List.of(kinds);
        return this;
    }

    RoundPlan asks(Ask... kinds) {
        asks = List.of(kinds);
        return this;
    }

    /** @param meanCalm the mean time between two faults */
    RoundPlan faults(Duration meanCalm, Set<FaultKind> kinds) {
        calm = meanCalm;
        faults = kinds;
        return this;
    }

    /** What happens to all commands on the way to Redis; asked for once in each round. */
    RoundPlan always(Supplier<FaultProxy.Policy> policy) {
        always = policy;
        return this;
    }

    /** For how long a lock may be free while somebody waits for it. */
    RoundPlan freeUnnoticed(Duration bound) {
        freeUnnoticed = bound;
        return this;
    }

    /** For how long to watch Redis at least when the workloads have ended. */
    RoundPlan lookingOn(Duration time) {
        lookOn = time;
        return this;
    }

    /** What goes before the class path of the workloads. */
    RoundPlan inFront(Path classPath) {
        inFront = List.of(classPath);
        return this;
    }

    /** For longer than a lease. */
    Duration longPause() {
        return LEASE.multipliedBy(3).dividedBy(2);
    }

    /** For less than a lease, so that it is renewed after it. */
    Duration shortPause() {
        return LEASE.dividedBy(3);
    }

    /** How late an answer comes at most: after its caller has given up. */
    Duration slowest() {
        return TIMEOUT.multipliedBy(3).dividedBy(2);
    }

    /** How late a command is executed at most: long after its caller has given up. */
    Duration latest() {
        return operation().plus(LEASE.multipliedBy(2));
    }

    private Duration operation() {
        return TIMEOUT.multipliedBy(3); // for the pool, the connection and the command
    }

    Bounds bounds() {
        boolean pauses = faults.contains(FaultKind.PROCESS_PAUSED_LONG) || faults.contains(FaultKind.REDIS_PAUSED_LONG);
        return new Bounds(
                !faults.contains(FaultKind.REDIS_EMPTIED),
                Plan.longLease(LEASE),
                operation(),
                MACHINE.plus(pauses ? longPause().multipliedBy(2) : shortPause()),
                freeUnnoticed);
    }

    /** What one of the processes is to do. */
    Plan plan(String client, long itsSeed, Duration time, FaultProxy proxy, URI resource, Path journal) {
        return new Plan(
                client,
                itsSeed,
                threads,
                time,
                LEASE,
                POLL,
                TIMEOUT,
                freeUnnoticed.multipliedBy(2),
                locks,
                works,
                asks,
                proxy.uri(),
                resource,
                journal);
    }

    String title() {
        return title;
    }

    long seed() {
        return seed;
    }

    RedisBinary binary() {
        return binary;
    }

    int processes() {
        return processes;
    }

    Duration duration() {
        return duration;
    }

    Set<FaultKind> faults() {
        return faults;
    }

    Duration calm() {
        return calm;
    }

    Supplier<FaultProxy.Policy> always() {
        return always;
    }

    Duration lookOn() {
        return faults.contains(FaultKind.EXECUTED_LATE) ? latest() : lookOn;
    }

    List<Path> inFront() {
        return inFront;
    }
}
