package org.redislocked.example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.jboss.shrinkwrap.api.spec.JavaArchive;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Test;
import org.redislocked.RedisLockLostException;
import org.redislocked.example.harness.Client;
import org.redislocked.example.harness.Fleet;
import org.redislocked.example.harness.Wars;

/** Applications come to one server, hold locks, and go; a probe beside them sees what they leave. */
class DeploymentIT extends OnProbedServer {

    private static final List<String> WAITERS = List.of("injected", "bounded", "declared");
    /** In the logs of the three servers. */
    private static final Pattern COMPLAINT = Pattern.compile("\\b(WARN|WARNING|ERROR|SEVERE|FATAL)\\b| [WEF] ");

    private static final Pattern OURS = Pattern.compile("redis-?lock");

    @Test
    void undeploy_whileHeldAndAwaited_sendsWaitersAwayAndLetsTheOwnerFinish() throws Exception {
        WebArchive war = desk("desk", "redis-lock.lease-time=3s\n");
        for (int round = 1, rounds = rounds(); round <= rounds; round++) {
            deploy(war);
            occupy(node.client("desk"), "thread", 2_500);
            long took = undeployOccupied("desk");
            for (String waiter : WAITERS) {
                assertEquals(1, notes(waiter + ": .*its client was closed.*").size(), waiter);
            }
            assertEquals(1, notes("owner: held=true").size());
            assertTrue(
                    timeOf("declared: .*closed.*") < timeOf("owner: held=true"), "waiters had to wait for the owner");
            assertEquals(1, notes("owner: done").size());
            assertFalse(redis.exists(KEY), "not released");
            nothingIsLeft();
            print("round %d: undeployed in %d ms", round, took);
            probe.post("notes/none");
        }
        loadersClear();
    }

    private int rounds() {
        if (Boolean.getBoolean("full")) {
            return fleet == Fleet.LIBERTY ? 20 : 5;
        }
        return Integer.getInteger("rounds", 2);
    }

    /** Some servers first wait for requests, so that waiters may still get the lock. */
    @Test
    void undeploy_whileRequestsHoldAndAwait_endsThemAllInGoodOrder() throws Exception {
        deploy(desk("requests", "redis-lock.lease-time=3s\n"));
        occupy(node.client("requests"), "request", 1_500);
        long took = undeployOccupied("requests");
        for (String waiter : WAITERS) {
            assertEquals(
                    1, notes(waiter + ": (got it|.*its client was closed.*)").size(), waiter);
        }
        assertEquals(1, notes("owner: held=true").size());
        assertEquals(1, notes("owner: done").size());
        nothingIsLeft();
        print("requests: undeployed in %d ms, %s", took, notes(".*: (got|.*Exception).*"));
        if (fleet != Fleet.WILDFLY) { // whose threads keep requests that outlive their application: WELD-000714
            loadersClear();
        }
    }

    @Test
    void undeploy_whileHeldForLonger_leavesTheLockToItsLease() throws Exception {
        deploy(desk("slow", "redis-lock.lease-time=3s\nredis-lock.shutdown-timeout=1s\n"));
        Client desk = node.client("slow");
        desk.post("watch");
        desk.postAsync("thread/owner?millis=8000");
        await("the owner", () -> notes("owner: works").size() == 1);
        long took = undeploy("slow");
        long leftMillis = redis.pttl(KEY);
        assertTrue(leftMillis > 0, "released, or kept until its lease was over");
        assertEquals(0, notes("owner: held=.*").size(), "the owner has ended before");
        await("the end of the lease", () -> !redis.exists(KEY));
        await(
                "the owner's end",
                () -> notes("owner: (done|.*(Exception|Error)).*").size() == 1);
        print("undeployed in %d ms, %d ms of lease left, %s", took, leftMillis, notes("owner.*"));
        assertEquals(1, notes("owner: held=false").size());
        assertEquals(
                1,
                notes("owner: " + RedisLockLostException.class.getName() + ".*").size());
        nothingIsLeft();
        loadersClear();
    }

    @Test
    void undeploy_inPeace_logsNoWarning() throws Exception {
        int before = node.log().length();
        deploy(desk("quiet", ""));
        assertTrue(node.client("quiet").get("free").getBoolean("free"));
        undeploy("quiet");
        List<String> complaints = node.log()
                .substring(before)
                .lines()
                .filter(line ->
                        OURS.matcher(line).find() && COMPLAINT.matcher(line).find())
                .toList();
        assertEquals(List.of(), complaints);
    }

    @Test
    void twoWars_eachWithTheLibrary_shareTheLock() throws Exception {
        deploy(desk("left", "redis-lock.client-name=left\n"));
        deploy(desk("right", "redis-lock.client-name=right\n"));
        locksOutTheOther("left", "left", "right");
        locksOutTheOther("right", "right", "left");
        undeploy("left");
        assertTrue(free("right"), "works on without the other");
        undeploy("right");
        nothingIsLeft();
    }

    @Test
    void ear_whoseWarsHaveTheLibrary_runsEachWithItsConfiguration() throws Exception {
        deploy(Wars.ear("each")
                .addAsModule(desk("each-left", "redis-lock.client-name=left\n"))
                .addAsModule(desk("each-right", "redis-lock.client-name=right\n")));
        locksOutTheOther("left", "each-left", "each-right");
        locksOutTheOther("right", "each-right", "each-left");
        undeploy("each");
        nothingIsLeft();
    }

    @Test
    void ear_withTheLibraryInLib_runsAllWarsWithItsConfiguration() throws Exception {
        EnterpriseArchive ear = Wars.ear("lib")
                .addAsModule(withDesk(Wars.empty("lib-left"), "redis-lock.client-name=left\n"))
                .addAsModule(withDesk(Wars.empty("lib-right"), "redis-lock.client-name=right\n"))
                .addAsLibrary(ShrinkWrap.create(JavaArchive.class, "configuration.jar")
                        .addAsResource(
                                new StringAsset("redis-lock.client-name=ear\n"),
                                "META-INF/microprofile-config.properties"));
        for (Path jar : Wars.libraries()) {
            ear.addAsLibrary(jar.toFile());
        }
        deploy(ear);
        locksOutTheOther("ear", "lib-left", "lib-right");
        locksOutTheOther("ear", "lib-right", "lib-left");
        undeploy("lib");
        nothingIsLeft();
    }

    /** The lock is held by one and busy for the other meanwhile, both by annotation and by injection. */
    private void locksOutTheOther(String clientName, String owner, String other) {
        probe.post("notes/none");
        assertTrue(free(owner));
        assertTrue(free(other));
        var owning = node.client(owner).postAsync("request/owner?millis=1000");
        await(owner + " to hold the lock", () -> redis.exists(KEY));
        String holder = redis.hkeys(KEY).toString();
        assertFalse(free(other), other + " gets the lock that " + owner + " holds");
        owning.join();
        assertEquals(1, notes("owner: done").size());
        assertTrue(free(other));
        print("%s holds the lock as %s", owner, holder);
        // Payara gives the modules of an EAR no configuration of their own: those of a WAR in it have no effect
        boolean unseen = fleet == Fleet.PAYARA && owner.startsWith("each-");
        assertTrue(unseen || holder.startsWith('[' + clientName + '-'), holder);
    }

    private static boolean free(String application) {
        return node.client(application).get("free").getBoolean("free");
    }

    /** Returns when there is an owner, and waiters. */
    private static void occupy(Client desk, String where, int millis) {
        desk.post("watch");
        desk.postAsync(where + "/owner?millis=" + millis);
        await("the owner", () -> notes("owner: works").size() == 1);
        WAITERS.forEach(waiter -> desk.postAsync(where + '/' + waiter));
        await("the waiters", () -> notes(".*: waits").size() == WAITERS.size());
        assertTrue(found("threads").contains("redis-locked"), "a thread of ours that could stay");
        assertFalse(connections().isEmpty(), "a connection of ours that could stay");
    }

    /** Returns when all have come to an end, and how many milliseconds the server took. */
    private long undeployOccupied(String application) throws Exception {
        long took = undeploy(application);
        await(
                "the end of the owner",
                () -> notes("owner: (done|.*(Exception|Error)).*").size() == 1);
        await(
                "the end of the waiters",
                () -> notes(".*: (got|.*(Exception|Error)).*").size() >= WAITERS.size());
        return took;
    }

    private static void nothingIsLeft() {
        await("the end of our threads", () -> !found("threads").contains("redis-locked"));
        String mbeans = found("mbeans");
        assertFalse(mbeans.contains("commons.pool"), mbeans);
        assertFalse(mbeans.contains("redislocked"), mbeans);
        assertEquals(List.of(), connections());
    }

    private void loadersClear() throws Exception {
        long begin = System.nanoTime();
        try {
            await("the class loaders to clear", () -> texts("POST", "loaders").isEmpty());
        } catch (AssertionError e) {
            throw new AssertionError("Still there: " + texts("POST", "loaders") + "; " + dump(), e);
        }
        print("class loaders cleared after %d ms", (System.nanoTime() - begin) / 1_000_000);
    }

    /** {@return when this was noted} */
    private static long timeOf(String pattern) {
        return Long.parseLong(notes(pattern).get(0).replaceFirst(" (?s).*", ""));
    }

    /** {@return where all that lives was written to, if {@code -Ddump} asks for that} */
    private static String dump() {
        if (System.getProperty("dump") == null) {
            return "-Ddump writes a heap dump";
        }
        Path file = node.directory().resolve("loaders-" + System.nanoTime() + ".hprof");
        probe.post("dump?file=" + file);
        return "see " + file;
    }
}
