package org.redislocked.history;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.redislocked.history.Plan.Ask;
import org.redislocked.history.Plan.Work;
import org.redislocked.testing.RedisBinary;

/**
 * What happens in one round.
 *
 * @param calm the mean time between two faults
 * @param freeUnnoticed for how long a lock may be free while somebody waits for it
 * @param inFront of the class path of the workloads
 */
record RoundPlan(
        String title,
        long seed,
        RedisBinary binary,
        int processes,
        int threads,
        Duration duration,
        Duration lease,
        Duration poll,
        Duration timeout,
        List<String> locks,
        List<Work> works,
        List<Ask> asks,
        Set<Fault> faults,
        Duration calm,
        Duration freeUnnoticed,
        List<Path> inFront) {

    /** What the machine may add to anything, when it has much to do. */
    private static final Duration MACHINE = Duration.ofMillis(700);

    /** Few long ones give many holds. */
    private static final List<Work> MOSTLY_SHORT = List.of(
            Work.SHORT, Work.SHORT, Work.SHORT, Work.SHORT, Work.SHORT, Work.SHORT, Work.NESTED, Work.NESTED,
            Work.NESTED, Work.NESTED, Work.NESTED, Work.NESTED, Work.LEASED, Work.OVERDUE, Work.LONG, Work.MIXED);

    /** Every kind of hold and of waiting, three processes, no faults. */
    static RoundPlan usual(String title, long seed) {
        return new RoundPlan(
                title,
                seed,
                RedisBinary.preferred(),
                3,
                3,
                Duration.ofSeconds(6),
                Duration.ofSeconds(1),
                Duration.ofMillis(300),
                Duration.ofMillis(400),
                List.of("a", "b", "c", "d", "e", "f"),
                MOSTLY_SHORT,
                List.of(Ask.values()),
                Set.of(),
                Duration.ofMillis(300),
                Duration.ofSeconds(8),
                List.of());
    }

    RoundPlan on(RedisBinary redis) {
        return new RoundPlan(
                title, seed, redis, processes, threads, duration, lease, poll, timeout, locks, works, asks, faults,
                calm, freeUnnoticed, inFront);
    }

    RoundPlan of(int newProcesses, int newThreads, String... newLocks) {
        return new RoundPlan(
                title, seed, binary, newProcesses, newThreads, duration, lease, poll, timeout, List.of(newLocks), works,
                asks, faults, calm, freeUnnoticed, inFront);
    }

    RoundPlan lasting(Duration newDuration) {
        return new RoundPlan(
                title, seed, binary, processes, threads, newDuration, lease, poll, timeout, locks, works, asks, faults,
                calm, freeUnnoticed, inFront);
    }

    RoundPlan works(Work... newWorks) {
        return new RoundPlan(
                title, seed, binary, processes, threads, duration, lease, poll, timeout, locks, List.of(newWorks), asks,
                faults, calm, freeUnnoticed, inFront);
    }

    RoundPlan asks(Ask... newAsks) {
        return new RoundPlan(
                title, seed, binary, processes, threads, duration, lease, poll, timeout, locks, works,
                List.of(newAsks), faults, calm, freeUnnoticed, inFront);
    }

    RoundPlan faults(Duration newCalm, Fault... newFaults) {
        return new RoundPlan(
                title, seed, binary, processes, threads, duration, lease, poll, timeout, locks, works, asks,
                Set.copyOf(Arrays.asList(newFaults)), newCalm, freeUnnoticed, inFront);
    }

    RoundPlan freeUnnoticed(Duration bound) {
        return new RoundPlan(
                title, seed, binary, processes, threads, duration, lease, poll, timeout, locks, works, asks, faults,
                calm, bound, inFront);
    }

    RoundPlan with(List<Path> classPath) {
        return new RoundPlan(
                title, seed, binary, processes, threads, duration, lease, poll, timeout, locks, works, asks, faults,
                calm, freeUnnoticed, classPath);
    }

    /** For longer than a lease. */
    Duration longPause() {
        return lease.multipliedBy(3).dividedBy(2);
    }

    /** For less than a lease, so that it is renewed after it. */
    Duration shortPause() {
        return lease.dividedBy(3);
    }

    Bounds bounds() {
        boolean pauses = faults.contains(Fault.PROCESS_PAUSED_LONG) || faults.contains(Fault.REDIS_PAUSED_LONG);
        return new Bounds(
                !faults.contains(Fault.REDIS_EMPTIED),
                lease.multipliedBy(5).dividedBy(2),
                timeout.multipliedBy(3),
                pauses ? MACHINE.plus(longPause().multipliedBy(2)) : MACHINE.plus(shortPause()),
                freeUnnoticed);
    }
}
