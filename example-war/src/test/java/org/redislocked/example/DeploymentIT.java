package org.redislocked.example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import jakarta.json.JsonString;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.jboss.shrinkwrap.api.spec.JavaArchive;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.redislocked.example.harness.Archive;
import org.redislocked.example.harness.Client;
import org.redislocked.example.harness.Fleet;
import org.redislocked.example.harness.Node;
import org.redislocked.example.harness.Probed;
import org.redislocked.example.harness.RunningNodes;
import org.redislocked.example.harness.Wars;
import org.redislocked.testing.TestRedis;
import org.redislocked.trial.lifecycle.Desk;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.RedisClient;

/** Applications come to one server, hold locks, and go; a probe beside them sees what they leave. */
@ParameterizedClass(name = "{0}", allowZeroInvocations = true)
@MethodSource("org.redislocked.example.harness.Fleet#wantedOfOneKind")
@Timeout(value = 6, unit = TimeUnit.MINUTES)
class DeploymentIT {

    private static final String KEY = "redis-lock:" + Desk.LOCK;
    private static final List<String> WAITERS = List.of("injected", "bounded", "declared");
    private static final int ROUNDS = Integer.getInteger("rounds", Boolean.getBoolean("full") ? 20 : 5);
    /** In the logs of the three servers. */
    private static final Pattern COMPLAINT = Pattern.compile("\\b(WARN|WARNING|ERROR|SEVERE|FATAL)\\b| [WEF] ");

    private static final Pattern OURS = Pattern.compile("redis-?lock");

    private static final JedisClientConfig CONFIG =
            DefaultJedisClientConfig.builder().clientName("test").build();

    private static TestRedis server;
    private static RedisClient redis;
    private static RunningNodes running;
    private static Node node;
    private static Client probe;

    @Parameter
    Fleet fleet;

    @BeforeParameterizedClassInvocation
    static void startServer(Fleet fleet) throws Exception {
        server = TestRedis.start();
        redis = RedisClient.builder()
                .hostAndPort(new HostAndPort(server.host(), server.port()))
                .clientConfig(CONFIG)
                .build();
        running = RunningNodes.startOne(fleet, Probed.by(server.uri()));
        node = running.nodes().get(0);
        probe = Probed.probe(node);
    }

    @AfterParameterizedClassInvocation
    static void stopServer() {
        if (running != null) {
            running.close();
            running = null;
        }
        redis.close();
        server.close();
    }

    @AfterEach
    void forget() {
        probe.post("notes/none");
        probe.post("loaders/none");
    }

    @Test
    void undeploy_whileHeldAndAwaited_sendsWaitersAwayAndLetsTheOwnerFinish() throws Exception {
        Archive war = Wars.write(desk("desk", "redis-lock.lease-time=3s\n"));
        for (int round = 1; round <= ROUNDS; round++) {
            node.deploy(war);
            occupy(node.client("desk"), "thread", 2_500);
            long took = undeploy("desk");
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

    /** Some servers first wait for requests, so that waiters may still get the lock. */
    @Test
    void undeploy_whileRequestsHoldAndAwait_endsThemAllInGoodOrder() throws Exception {
        node.deploy(Wars.write(desk("requests", "redis-lock.lease-time=3s\n")));
        occupy(node.client("requests"), "request", 1_500);
        long took = undeploy("requests");
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
        node.deploy(Wars.write(desk("slow", "redis-lock.lease-time=3s\nredis-lock.shutdown-timeout=1s\n")));
        Client desk = node.client("slow");
        desk.post("watch");
        desk.postAsync("thread/owner?millis=8000");
        await("the owner", () -> notes("owner: works").size() == 1);
        long begin = System.currentTimeMillis();
        node.undeploy("slow");
        long took = System.currentTimeMillis() - begin;
        long leftMillis = redis.pttl(KEY);
        assertTrue(leftMillis > 0, "released, or kept until its lease was over");
        assertEquals(0, notes("owner: held=.*").size(), "the owner has ended before");
        await("the end of the lease", () -> !redis.exists(KEY));
        await(
                "the owner's end",
                () -> notes("owner: (done|.*(Exception|Error)).*").size() == 1);
        print("undeployed in %d ms, %d ms of lease left, %s", took, leftMillis, notes("owner.*"));
        assertEquals(1, notes("owner: held=false").size());
        nothingIsLeft();
        loadersClear();
    }

    @Test
    void undeploy_inPeace_logsNoWarning() throws Exception {
        int before = node.log().length();
        node.deploy(Wars.write(desk("quiet", "")));
        assertTrue(node.client("quiet").get("free").getBoolean("free"));
        node.undeploy("quiet");
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
        node.deploy(Wars.write(desk("left", "redis-lock.client-name=left\n")));
        node.deploy(Wars.write(desk("right", "redis-lock.client-name=right\n")));
        locksOutTheOther("left", "left", "right");
        locksOutTheOther("right", "right", "left");
        node.undeploy("left");
        assertTrue(free("right"), "works on without the other");
        node.undeploy("right");
        nothingIsLeft();
    }

    @Test
    void ear_whoseWarsHaveTheLibrary_runsEachWithItsConfiguration() throws Exception {
        node.deploy(Wars.write(Wars.ear("each")
                .addAsModule(desk("each-left", "redis-lock.client-name=left\n"))
                .addAsModule(desk("each-right", "redis-lock.client-name=right\n"))));
        locksOutTheOther("left", "each-left", "each-right");
        locksOutTheOther("right", "each-right", "each-left");
        node.undeploy("each");
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
        node.deploy(Wars.write(ear));
        locksOutTheOther("ear", "lib-left", "lib-right");
        locksOutTheOther("ear", "lib-right", "lib-left");
        node.undeploy("lib");
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
    private static long undeploy(String application) throws Exception {
        long begin = System.currentTimeMillis();
        node.undeploy(application);
        long took = System.currentTimeMillis() - begin;
        await(
                "the end of the owner",
                () -> notes("owner: (done|.*(Exception|Error)).*").size() == 1);
        await(
                "the end of the waiters",
                () -> notes(".*: (got|.*(Exception|Error)).*").size() >= WAITERS.size());
        return took;
    }

    private static WebArchive desk(String name, String configuration) throws IOException {
        return withDesk(Wars.withLibrary(name), configuration);
    }

    private static WebArchive withDesk(WebArchive war, String configuration) {
        return war.addPackage(Desk.class.getPackage())
                .addAsResource(new StringAsset(configuration), "META-INF/microprofile-config.properties");
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

    private static List<String> notes(String pattern) {
        Pattern wanted = Pattern.compile("\\d+ " + pattern, Pattern.DOTALL);
        return texts("GET", "notes").stream()
                .filter(note -> wanted.matcher(note).matches())
                .toList();
    }

    private static String found(String what) {
        return String.join("\n", texts("GET", what));
    }

    private static List<String> texts(String method, String path) {
        return (method.equals("GET") ? probe.get(path) : probe.post(path))
                .getJsonArray("found")
                .getValuesAs(JsonString::getString);
    }

    /** {@return those that are not the test's own} */
    private static List<String> connections() {
        String list;
        try (var jedis = new Jedis(server.host(), server.port(), CONFIG)) {
            list = jedis.clientList();
        }
        return list.lines().filter(line -> !line.contains(" name=test ")).toList();
    }

    private static void await(String what, java.util.function.BooleanSupplier condition) {
        long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < deadline, () -> "Waited 60 s for " + what + "; notes: " + notes(".*"));
            try {
                Thread.sleep(50);
            } catch (InterruptedException e) {
                throw new IllegalStateException("Interrupted while waiting for " + what, e);
            }
        }
    }

    private void print(String format, Object... values) {
        System.out.println(fleet + " · " + format.formatted(values));
    }
}
