package org.redislocked.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.redislocked.redis.RedisStores.call;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.redislocked.core.LockStore;
import org.redislocked.core.StoreException;
import org.redislocked.core.StoreException.Kind;
import org.redislocked.testing.RedisBinary;
import org.redislocked.testing.TestRedis;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;

/** Each way in which Redis can fail to serve us, provoked on real servers, as far as they can be brought to it. */
@ParameterizedClass
@MethodSource("org.redislocked.testing.RedisBinary#available")
@Timeout(30)
class RefusalsTest {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final String MINE = "me-1f:1:1";

    private final RedisBinary binary;
    private TestRedis redis;

    RefusalsTest(RedisBinary binary) {
        this.binary = binary;
    }

    @BeforeEach
    void start() {
        redis = TestRedis.start(binary);
    }

    @AfterEach
    void stop() {
        redis.close();
    }

    @Test
    void password_whenEchoedByAnOldServer_isNeitherInTheMessageNorInTheCause() {
        Refusals refusals = new Refusals(
                RedisStores.client(redis).username("shop").password("s3cret").connection());
        StoreException e = refusals.onConnect(new JedisConnectionException(new JedisDataException(
                "ERR unknown command `HELLO`, with args beginning with: `2`, `AUTH`, `shop`, `s3cret`")));
        assertThat(e).hasMessageContaining("Redis 6.2 or newer").hasMessageNotContaining("s3cret");
        assertThat(e).hasNoCause();
    }

    @Test
    void answer_whenUnknown_isTakenForPerhapsExecuted() {
        Refusals refusals = new Refusals(RedisStores.client(redis).connection());
        assertThat(refusals.onCommand(new JedisDataException("upstream failure"), "redis-lock:order")
                        .kind())
                .isEqualTo(Kind.UNKNOWN);
    }

    @Test
    void password_whenMissing_isTold() {
        call(redis, "CONFIG", "SET", "requirepass", "secret");

        assertFails(RedisStores.client(redis), Kind.REFUSED, "wants a password (NOAUTH); set redis-lock.password");
    }

    @Test
    void password_whenWrong_isToldWithoutShowingIt() {
        call(redis, "CONFIG", "SET", "requirepass", "secret");

        assertFails(
                RedisLockClient.builder().uri("redis://:t%40ps@127.0.0.1:" + redis.port()),
                Kind.REFUSED,
                "Redis at redis://127.0.0.1:" + redis.port() + " refused the password of user 'default' (WRONGPASS)");
    }

    @Test
    void user_whenUnknown_isTold() {
        assertFails(
                RedisStores.client(redis).username("nobody").password("t@ps"),
                Kind.REFUSED,
                "password of user 'nobody'");
    }

    @Test
    void password_whenRight_works() {
        call(redis, "CONFIG", "SET", "requirepass", "s@cret");
        try (LockStore store =
                RedisStores.open(RedisLockClient.builder().uri("redis://:s%40cret@127.0.0.1:" + redis.port() + "/0"))) {
            assertThat(store.timeMicros()).isPositive();
        }
    }

    @Test
    void database_whenNotThere_isTold() {
        assertFails(RedisLockClient.builder().uri(redis.uri() + "/99"), Kind.REFUSED, "DB index is out of range");
    }

    @Test
    void database_whenGiven_isUsed() {
        try (LockStore store = RedisStores.open(RedisLockClient.builder().uri(redis.uri() + "/3"))) {
            store.acquire("order", MINE, LEASE, 0, 0);
        }
        assertThat(call(redis, "DBSIZE")).isEqualTo(0L);
    }

    @Test
    void clients_whenTooMany_isUnreachable() {
        try (TestRedis small = TestRedis.start(binary, "--maxclients", "1");
                Connection only = new Connection(new HostAndPort(small.host(), small.port()))) {
            only.connect();
            assertThat(only.ping()).isTrue();

            assertFails(RedisStores.client(small), Kind.UNREACHABLE, "has too many clients");
        }
    }

    @Test
    void replica_whenItAnswers_isUnreachable() {
        call(redis, "REPLICAOF", "127.0.0.1", "1");

        assertFails(RedisStores.client(redis), Kind.UNREACHABLE, "is a replica");
    }

    @Test
    void replica_whenCutOff_isUnreachable() {
        call(redis, "CONFIG", "SET", "replica-serve-stale-data", "no");
        call(redis, "REPLICAOF", "127.0.0.1", "1");

        assertFails(RedisStores.client(redis), Kind.UNREACHABLE, "cannot answer at present (MASTERDOWN");
    }

    @Test
    void clusterNode_withoutSlots_isUnreachable() {
        try (TestRedis node = TestRedis.start(binary, "--cluster-enabled", "yes")) {
            assertFails(RedisStores.client(node), Kind.UNREACHABLE, "cannot answer at present (CLUSTERDOWN");
        }
    }

    @Test
    void disk_whenItFails_isRefused() throws IOException {
        Path directory = Path.of((String) configured("dir"));
        Files.createDirectory(directory.resolve("dump.rdb"));
        call(redis, "CONFIG", "SET", "save", "3600 1");
        call(redis, "BGSAVE");
        RedisStores.await(() -> ((String) call(redis, "INFO", "persistence")).contains("rdb_last_bgsave_status:err"));

        assertFails(RedisStores.client(redis), Kind.REFUSED, "cannot save its data (MISCONF)");
    }

    @Test
    void longScript_whileItRuns_isUnreachable() {
        call(redis, "CONFIG", "SET", "lua-time-limit", "10");
        try (LockStore store = RedisStores.open(redis)) {
            store.timeMicros();
            CompletableFuture<?> script = RedisStores.async(() -> call(redis, "EVAL", "while true do end", "0"));
            RedisStores.await(() -> fails(store) instanceof StoreException e
                    && e.kind() == Kind.UNREACHABLE
                    && e.getMessage().contains("cannot answer at present (BUSY"));
            call(redis, "SCRIPT", "KILL");
            script.exceptionally(e -> null).join();
        }
    }

    @Test
    void loading_whileItLasts_isUnreachable() {
        String[] options = {"--rdbcompression", "no", "--key-load-delay", "10"};
        String[] more = {"--rdbcompression", "no", "--key-load-delay", "10", "--enable-debug-command", "yes"};
        try (TestRedis slow = TestRedis.start(binary, binary == RedisBinary.INSTALLED ? more : options);
                LockStore store = RedisStores.open(slow)) {
            // while it loads, 6.2 looks for clients after each 2 MB only
            call(slow, "DEBUG", "POPULATE", "20000", "key", "500");
            CompletableFuture<?> reload = RedisStores.async(() -> call(slow, "DEBUG", "RELOAD"));

            RedisStores.await(() -> fails(store) instanceof StoreException e
                    && e.kind() == Kind.UNREACHABLE
                    && e.getMessage().contains("cannot answer at present (LOADING"));
            reload.exceptionally(e -> null).join();
        }
    }

    @Test
    void port_whenClosed_isUnreachable() {
        redis.stop();

        assertFails(RedisStores.client(redis), Kind.UNREACHABLE, "cannot be reached (Connection refused)");
    }

    @Test
    void host_whenUnknown_isUnreachable() {
        assertFails(
                RedisLockClient.builder().uri("redis://no-such-host.invalid"),
                Kind.UNREACHABLE,
                "Redis at redis://no-such-host.invalid:6379 cannot be reached: the host name is unknown");
    }

    @Test
    void server_whenSuspendedBeforeConnecting_isUnreachable() {
        redis.suspend();

        assertFails(impatient(), Kind.UNREACHABLE, "no answer within redis-lock.command-timeout");
        redis.resume();
    }

    @Test
    void server_whenSuspendedWhileConnected_isUnknown() {
        try (LockStore store = RedisStores.open(impatient())) {
            store.timeMicros();
            redis.suspend();

            assertThat(fails(store))
                    .isInstanceOfSatisfying(
                            StoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.UNKNOWN))
                    .hasMessageContaining("did not answer in time")
                    .hasMessageContaining("whether it executed the command for 'redis-lock:order' is unknown");
            redis.resume();
        }
    }

    @Test
    void server_afterRestart_isUnknownOnceAndThenWorks() {
        try (LockStore store = RedisStores.open(redis)) {
            while (connectionsOf(store) < 2) {
                twoAtATime(store);
            }
            redis.restart();

            assertThat(fails(store))
                    .isInstanceOfSatisfying(
                            StoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.UNKNOWN));
            twoAtATime(store);
        }
    }

    @Test
    void connection_whenBroken_isNotReplacedBeforeItIsNeeded() {
        try (LockStore store = RedisStores.open(impatient())) {
            store.timeMicros();
            redis.suspend();
            fails(store);
            redis.resume();

            // ours that broke, and the one that asks
            assertThat((String) call(redis, "INFO", "stats")).contains("total_connections_received:2\r\n");
        }
    }

    @Test
    void protectedMode_whenOn_isTold() {
        assertFails(
                "-DENIED Redis is running in protected mode because protected mode is enabled\r\n",
                Kind.REFUSED,
                "is in protected mode and refuses other hosts");
    }

    @Test
    void connection_whenEndedAtOnce_isUnreachable() {
        assertFails("", Kind.UNREACHABLE, "ended the connection while it was made");
    }

    @Test
    void store_whenClosed_isTold() {
        LockStore store = RedisStores.open(redis);
        store.timeMicros();
        store.close();

        assertThat(fails(store)).hasMessageContaining("The connections to Redis at " + redis.uri() + " are closed");
    }

    /** Needs two connections, since Redis hangs until both have begun. */
    private void twoAtATime(LockStore store) {
        redis.suspend();
        List<CompletableFuture<Long>> two = Stream.generate(() -> RedisStores.async(store::timeMicros))
                .limit(2)
                .toList();
        redis.resume();
        two.forEach(CompletableFuture::join);
    }

    private long connectionsOf(LockStore store) {
        store.timeMicros();
        String clients = (String) call(redis, "CLIENT", "LIST");
        return clients.lines().filter(line -> line.contains("cmd=time")).count();
    }

    private RedisLockClient.Builder impatient() {
        return RedisStores.client(redis).commandTimeout(Duration.ofMillis(200));
    }

    /** Answers any connection with these words, and ends it. */
    private static void assertFails(String answer, Kind kind, String message) {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<?> answered = CompletableFuture.runAsync(() -> {
                try (var socket = server.accept()) {
                    socket.getInputStream().read();
                    socket.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
                    socket.shutdownOutput();
                    socket.getInputStream().readAllBytes();
                } catch (IOException e) {
                    // the client has gone
                }
            });
            assertFails(RedisLockClient.builder().uri("redis://127.0.0.1:" + server.getLocalPort()), kind, message);
            answered.join();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static void assertFails(RedisLockClient.Builder client, Kind kind, String message) {
        try (LockStore store = RedisStores.open(client)) {
            assertThat(fails(store))
                    .isInstanceOfSatisfying(
                            StoreException.class, e -> assertThat(e.kind()).isEqualTo(kind))
                    .hasMessageContaining(message)
                    .hasMessageNotContaining("t@ps")
                    .hasMessageNotContaining("t%40ps");
        }
    }

    private static Throwable fails(LockStore store) {
        return catchThrowableOfType(Throwable.class, () -> store.acquire("order", MINE, LEASE, 0, 0));
    }

    private Object configured(String name) {
        return new String((byte[]) ((List<?>) call(redis, "CONFIG", "GET", name)).get(1), StandardCharsets.UTF_8);
    }
}
