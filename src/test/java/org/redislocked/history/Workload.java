package org.redislocked.history;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import org.redislocked.redis.RedisLockClient;

/**
 * A process that uses locks at random, with one client and some threads, and keeps a journal.
 *
 * <p>It first writes a line with a reading of its clock, and begins when it reads a line.
 */
final class Workload {
    private Workload() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        var plan = Plan.of(arguments);
        try (var journal = new Journal(plan.journal());
                var resource = new Resource(plan.resource());
                var locks = client(plan)) {
            resource.write("~nothing", "warm-up#0", 0);
            var input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            while ("clock".equals(input.readLine())) {
                System.out.println(System.nanoTime());
            }
            if (!work(plan, journal, resource, locks)) {
                Runtime.getRuntime().halt(0); // whoever waits for ever is seen in the journal
            }
        }
    }

    /** {@return whether all threads have ended} */
    private static boolean work(Plan plan, Journal journal, Resource resource, RedisLockClient locks)
            throws InterruptedException {
        long end = System.nanoTime() + plan.duration().toNanos();
        var threads = new ArrayList<Thread>();
        for (int i = 0; i < plan.threads(); i++) {
            var thread = new Thread(new Worker(plan, i, end, journal, resource, locks), plan.client() + "-" + i);
            thread.setDaemon(true);
            thread.start();
            threads.add(thread);
        }
        long patience = end + plan.patience().toNanos();
        for (var thread : threads) {
            thread.join(Math.max(1, (patience - System.nanoTime()) / 1_000_000));
        }
        return threads.stream().noneMatch(Thread::isAlive);
    }

    private static RedisLockClient client(Plan plan) {
        return RedisLockClient.builder()
                .uri(plan.redis().toString())
                .keyPrefix(Plan.PREFIX)
                .clientName(plan.client())
                .leaseTime(plan.lease())
                .pollInterval(plan.poll())
                .connectTimeout(plan.timeout())
                .commandTimeout(plan.timeout())
                .poolWait(plan.timeout())
                .poolSize(plan.threads() + 1)
                .shutdownTimeout(plan.timeout())
                .build();
    }
}
