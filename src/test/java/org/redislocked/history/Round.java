package org.redislocked.history;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.redislocked.history.History.Snapshot;
import org.redislocked.history.History.Write;
import org.redislocked.testing.FaultProxy;
import org.redislocked.testing.JavaProcess;
import org.redislocked.testing.TestRedis;

/** One round: some workloads, one Redis, faults, and then the check. */
final class Round implements AutoCloseable {
    /** Small, and no compiler that takes the processor from the others. */
    private static final List<String> JVM =
            List.of("-Xmx96m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto");

    private final RoundPlan plan;
    private final Random random;
    private final TestRedis redis;
    private final TestRedis storage;
    private final List<Member> members = new ArrayList<>();
    private final RedisWatch watch;
    private final FaultProxy.Policy always;

    private Round(RoundPlan plan) {
        this.plan = plan;
        random = new Random(plan.seed());
        always = plan.always().get();
        redis = TestRedis.start(plan.binary());
        storage = TestRedis.start();
        watch = new RedisWatch(redis.uri());
    }

    static Report run(RoundPlan plan) {
        try (var round = new Round(plan)) {
            return round.run();
        }
    }

    private Report run() {
        for (int i = 0; i < plan.processes(); i++) {
            join(plan.duration());
        }
        members.forEach(Member::awaitReady);
        members.forEach(Member::begin);
        var nemesis = new Nemesis(this, new Random(random.nextLong()));
        nemesis.run(System.nanoTime() + plan.duration().toNanos());
        members.forEach(Member::awaitEnd);
        long end = System.nanoTime();
        awaitFree(end);
        watch.close();
        var history = history(end);
        return new Report(plan, history, nemesis.faults(), Checker.check(history, plan.bounds()));
    }

    /** One more process, which does not begin yet. */
    Member join(Duration duration) {
        var proxy = FaultProxy.to(redis.uri());
        var client = "p" + (members.size() + 1);
        try {
            var journal = Files.createTempFile("history-" + client + "-", ".txt");
            var member = plan.plan(client, random.nextLong(), duration, proxy, storage.uri(), journal);
            var process = JavaProcess.start(plan.inFront(), JVM, Workload.class, member.toArguments());
            var joined = new Member(member, proxy, process, always);
            members.add(joined);
            return joined;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    RoundPlan plan() {
        return plan;
    }

    TestRedis redis() {
        return redis;
    }

    List<Member> alive() {
        return members.stream().filter(member -> !member.wasKilled()).toList();
    }

    /** Looks on until all locks are free, or should be, and what comes late would have come. */
    private void awaitFree(long end) {
        var bounds = plan.bounds();
        var bound = bounds.longestLease()
                .plus(bounds.operation())
                .plus(bounds.blur())
                .plusMillis(200);
        Snapshot now;
        do {
            now = watch.look();
        } while (now.from() - end < (now.entries().isEmpty() ? plan.lookOn() : bound).toNanos());
    }

    private History history(long end) {
        var history = new History(
                new ArrayList<>(),
                new ArrayList<>(),
                writes(),
                new ArrayList<>(),
                watch.snapshots(),
                new ArrayList<>(),
                end);
        for (var member : members) {
            var journal = member.journal();
            history.asks().addAll(journal.asks());
            history.holds().addAll(journal.holds());
            history.refusals().addAll(journal.refusals());
            history.wrongs().addAll(journal.wrongs());
        }
        return history;
    }

    private List<Write> writes() {
        try (var resource = new Resource(storage.uri())) {
            return resource.writes();
        }
    }

    @Override
    public void close() {
        members.forEach(Member::close);
        watch.close();
        redis.close();
        storage.close();
    }
}
