package org.redislocked.faults;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.redislocked.redis.RedisLockClient;
import org.redislocked.testing.FaultProxy;
import org.redislocked.testing.RedisBinary;
import org.redislocked.testing.TestRedis;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;

/**
 * A Redis behind a {@link FaultProxy}, and what can be seen in it.
 *
 * <p>The keys of each scene have a prefix of their own, so that tests may share a server, and one that leaves something
 * behind does not fail another.
 */
final class Scene implements AutoCloseable {

    /** Long enough that nothing is free because of it while a test lasts. */
    static final Duration LONG_LEASE = Duration.ofSeconds(30);

    static final Duration SHORT_LEASE = Duration.ofSeconds(1);

    /** Of each, the time to connect, to get a connection and to get an answer. */
    static final Duration STEP = Duration.ofMillis(300);

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);
    private static final Map<RedisBinary, TestRedis> SHARED = new ConcurrentHashMap<>();
    private static final AtomicInteger SCENES = new AtomicInteger();

    final TestRedis redis;
    final FaultProxy proxy;
    final String prefix = "scene-" + SCENES.incrementAndGet() + ":";
    private final boolean ownServer;

    private Scene(TestRedis redis, boolean ownServer) {
        this.redis = redis;
        this.ownServer = ownServer;
        proxy = FaultProxy.to(redis);
    }

    /** With a server that is neither stopped nor configured. */
    static Scene on(RedisBinary binary) {
        return new Scene(SHARED.computeIfAbsent(binary, TestRedis::start), false);
    }

    /** With a server of its own, for whatever is to be done to it. */
    static Scene alone(RedisBinary binary, String... options) {
        return new Scene(TestRedis.start(binary, options), true);
    }

    /** A client whose connections go through the proxy. */
    RedisLockClient.Builder client() {
        return to(proxy.uri());
    }

    /** A client that no fault of the proxy touches. */
    RedisLockClient.Builder directClient() {
        return to(redis.uri());
    }

    private RedisLockClient.Builder to(URI uri) {
        return RedisLockClient.builder()
                .uri(uri.toString())
                .keyPrefix(prefix)
                .leaseTime(LONG_LEASE)
                .connectTimeout(STEP)
                .commandTimeout(STEP)
                .poolWait(STEP)
                .shutdownTimeout(Duration.ZERO);
    }

    String key(String lockName) {
        return prefix + lockName;
    }

    /** {@return grant id and hold count as Redis has them; empty if the lock is free} */
    List<String> grant(String lockName) {
        return strings(call("HGETALL", key(lockName)));
    }

    boolean isFree(String lockName) {
        return call("EXISTS", key(lockName)).equals(0L);
    }

    /** {@return the rest of the lease in milliseconds} */
    long leaseMillis(String lockName) {
        return (Long) call("PTTL", key(lockName));
    }

    /** {@return the keys that are there, without the fences} */
    List<String> locks() {
        return strings(call("KEYS", prefix + "*")).stream()
                .filter(key -> !key.startsWith(prefix + "~fence:"))
                .toList();
    }

    /** {@return the channels of locks that somebody has subscribed} */
    List<String> channels() {
        return strings(call("PUBSUB", "CHANNELS", prefix + "*")).stream()
                .filter(channel -> !channel.equals(prefix + "~channel:"))
                .toList();
    }

    long timeMicros() {
        List<String> time = strings(call("TIME"));
        return Long.parseLong(time.get(0)) * 1_000_000 + Long.parseLong(time.get(1));
    }

    /** Sends any command on a connection of its own, past the proxy. */
    Object call(String command, String... arguments) {
        return call(redis.uri(), command, arguments);
    }

    static Object call(URI uri, String command, String... arguments) {
        DefaultJedisClientConfig config =
                DefaultJedisClientConfig.builder().resp2().timeoutMillis(5_000).build();
        try (Connection connection = new Connection(new HostAndPort(uri.getHost(), uri.getPort()), config)) {
            CommandArguments all = new CommandArguments(() -> command.getBytes(StandardCharsets.US_ASCII));
            for (String argument : arguments) {
                all.add(argument);
            }
            Object reply = connection.executeCommand(all);
            return reply instanceof byte[] bytes ? text(bytes) : reply;
        }
    }

    static List<String> strings(Object reply) {
        return ((List<?>) reply)
                .stream()
                        .map(each -> each instanceof byte[] bytes ? text(bytes) : String.valueOf(each))
                        .toList();
    }

    /** Looks again and again, and fails if it does not come in 20 seconds. */
    static void await(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + PATIENCE_NANOS;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("Has not come: " + what);
            }
            LockSupport.parkNanos(2_000_000);
        }
    }

    /** Looks that it holds all the time for so long. */
    static void during(Duration time, Runnable check) {
        long end = System.nanoTime() + time.toNanos();
        while (System.nanoTime() - end < 0) {
            check.run();
            LockSupport.parkNanos(5_000_000);
        }
    }

    interface Body {
        void run() throws Exception;
    }

    /** Runs on a thread of its own. */
    static Running run(Body body) {
        return new Running(body);
    }

    static final class Running {

        private final FutureTask<Boolean> task;
        final Thread thread;

        private Running(Body body) {
            task = new FutureTask<>(() -> {
                body.run();
                return true;
            });
            thread = new Thread(task, "scene");
            thread.setDaemon(true);
            thread.start();
        }

        boolean isDone() {
            return task.isDone();
        }

        /** Waits for the end, and throws what the body has thrown as the cause. */
        void join() throws Exception {
            task.get(30, TimeUnit.SECONDS);
        }
    }

    @Override
    public void close() {
        proxy.close();
        if (ownServer) {
            redis.close();
        }
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
