package org.redislocked.example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import jakarta.json.JsonObject;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.redislocked.example.harness.Fleet;

/** The server's scheduler fails us while a request holds the lock, or Redis fails while the scheduler renews. */
class RenewalIT extends OnProbedServer {

    private static final String TAKEN_OVER = "A thread of our own renews the leases for now";

    @Test
    void suspendedServer_whileARequestHoldsTheLock_renewsTheLease() throws Exception {
        assumeTrue(fleet == Fleet.WILDFLY, "n/a: only WildFly can be suspended");
        deploy(desk("suspended", "redis-lock.lease-time=3s\n"));
        int before = node.log().length();
        CompletableFuture<JsonObject> owning = own("suspended", 16_000);
        var suspending = CompletableFuture.runAsync(() -> administer(":suspend(suspend-timeout=60)"));
        try {
            await("the server to begin to suspend", () -> node.log().indexOf("WFLYSRV0211", before) >= 0);
            staysHeld(6_000);
            assertFalse(owning.isDone(), "the owner has ended too soon to tell");
            owning.join();
            suspending.join();
        } finally {
            administer(":resume");
        }
        ownerKeptIt();
        print("suspended: %d times a thread of our own", takeovers(before));
        assertEquals(1, takeovers(before));
    }

    /** Payara has one thread for the tasks of all applications. */
    @Test
    void occupiedScheduler_whileARequestHoldsTheLock_doesNotStopRenewal() throws Exception {
        deploy(desk("occupied", "redis-lock.lease-time=3s\n"));
        int before = node.log().length();
        CompletableFuture<JsonObject> owning = own("occupied", 8_000);
        probe.post("scheduler/occupied?millis=8000");
        staysHeld(7_000);
        assertFalse(owning.isDone(), "the owner has ended too soon to tell");
        owning.join();
        ownerKeptIt();
        print("occupied: %d times a thread of our own", takeovers(before));
        if (fleet != Fleet.LIBERTY) { // which makes more threads, sooner or later
            assertEquals(1, takeovers(before));
        }
    }

    @Test
    void frozenRedis_whileTheSchedulerRenews_hardlyDelaysTheTasksOfOthers() throws Exception {
        deploy(desk("frozen", "redis-lock.lease-time=6s\nredis-lock.command-timeout=3s\n"));
        int before = node.log().length();
        CompletableFuture<JsonObject> owning = own("frozen", 9_000);
        probe.post("scheduler/beats");
        awaitRenewal();
        server.suspend();
        try {
            Thread.sleep(3_800); // more than a third of the lease, after which it is renewed, and less than the lease
        } finally {
            server.resume();
        }
        owning.join();
        int longest = probe.post("scheduler/beats/none").getInt("longestMillis");
        print("frozen: %d ms between two tasks that are due every 50 ms", longest);
        ownerKeptIt();
        assertEquals(1, takeovers(before), "the scheduler should have met the frozen Redis once");
        assertTrue(longest < 1_000, "kept the scheduler's thread for " + longest + " ms");
    }

    /** Returns when a request holds the lock. */
    private static CompletableFuture<JsonObject> own(String application, int millis) {
        CompletableFuture<JsonObject> owning = node.client(application).postAsync("request/owner?millis=" + millis);
        await("the owner", () -> notes("owner: works").size() == 1);
        return owning;
    }

    private static void ownerKeptIt() {
        assertEquals(1, notes("owner: held=true").size());
        assertEquals(1, notes("owner: done").size());
    }

    private static void staysHeld(int millis) throws InterruptedException {
        Set<String> holder = redis.hkeys(KEY);
        assertEquals(1, holder.size());
        for (long end = System.currentTimeMillis() + millis; System.currentTimeMillis() < end; ) {
            assertEquals(holder, redis.hkeys(KEY));
            Thread.sleep(50);
        }
    }

    private static void awaitRenewal() {
        long[] left = {redis.pttl(KEY)};
        await("a renewal", () -> left[0] < (left[0] = redis.pttl(KEY)));
    }

    private static long takeovers(int before) {
        return node.log()
                .substring(before)
                .lines()
                .filter(line -> line.contains(TAKEN_OVER))
                .count();
    }

    private static void administer(String command) {
        try {
            node.administer(command);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
