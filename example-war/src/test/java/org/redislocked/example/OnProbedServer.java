package org.redislocked.example;

import static org.junit.jupiter.api.Assertions.assertTrue;

import jakarta.json.JsonString;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import org.jboss.shrinkwrap.api.Archive;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
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

/** One server with a Redis of its own and a probe that sees what applications do which tests deploy beside it. */
@ParameterizedClass(name = "{0}", allowZeroInvocations = true)
@MethodSource("org.redislocked.example.harness.Fleet#wantedOfOneKind")
@Timeout(value = 6, unit = TimeUnit.MINUTES)
abstract class OnProbedServer {

    /** The lock of the desks. */
    static final String KEY = "redis-lock:" + Desk.LOCK;

    private static final JedisClientConfig CONFIG =
            DefaultJedisClientConfig.builder().clientName("test").build();

    static TestRedis server;
    static RedisClient redis;
    static Node node;
    static Client probe;
    private static RunningNodes running;

    private final List<String> deployed = new ArrayList<>();

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

    /** What a failed test left behind must not make the next one fail, too. */
    @AfterEach
    void clearAway() throws Exception {
        for (String application : List.copyOf(deployed)) {
            undeploy(application);
        }
        redis.del(KEY);
        probe.post("notes/none");
        probe.post("loaders/none");
    }

    /** Until {@link #undeploy} or the end of the test. */
    void deploy(Archive<?> archive) throws Exception {
        var written = Wars.write(archive);
        deployed.add(written.name());
        node.deploy(written);
    }

    /** {@return how many milliseconds the server took} */
    long undeploy(String application) throws Exception {
        deployed.remove(application);
        long begin = System.currentTimeMillis();
        node.undeploy(application);
        return System.currentTimeMillis() - begin;
    }

    /** {@return an application that holds the lock and waits for it} */
    static WebArchive desk(String name, String configuration) throws IOException {
        return withDesk(Wars.withLibrary(name), configuration);
    }

    static WebArchive withDesk(WebArchive war, String configuration) {
        return war.addPackage(Desk.class.getPackage())
                .addAsResource(new StringAsset(configuration), "META-INF/microprofile-config.properties");
    }

    static List<String> notes(String pattern) {
        Pattern wanted = Pattern.compile("\\d+ " + pattern, Pattern.DOTALL);
        return texts("GET", "notes").stream()
                .filter(note -> wanted.matcher(note).matches())
                .toList();
    }

    static String found(String what) {
        return String.join("\n", texts("GET", what));
    }

    static List<String> texts(String method, String path) {
        return (method.equals("GET") ? probe.get(path) : probe.post(path))
                .getJsonArray("found")
                .getValuesAs(JsonString::getString);
    }

    /** {@return those that are not the test's own} */
    static List<String> connections() {
        String list;
        try (var jedis = new Jedis(server.host(), server.port(), CONFIG)) {
            list = jedis.clientList();
        }
        return list.lines().filter(line -> !line.contains(" name=test ")).toList();
    }

    static void await(String what, BooleanSupplier condition) {
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

    void print(String format, Object... values) {
        System.out.println(fleet + " · " + format.formatted(values));
    }
}
