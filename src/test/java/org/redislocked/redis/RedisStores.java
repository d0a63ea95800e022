package org.redislocked.redis;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.redislocked.testing.RedisBinary;
import org.redislocked.testing.TestRedis;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;

/** Stores, and what Redis itself says, for the tests of this package. */
final class RedisStores {

    static final String PREFIX = "redis-lock:";

    private static final Map<RedisBinary, TestRedis> SERVERS = new ConcurrentHashMap<>();

    private RedisStores() {}

    /** {@return a server that the tests of this JVM share} They do not stop or configure it. */
    static TestRedis server(RedisBinary binary) {
        return SERVERS.computeIfAbsent(binary, TestRedis::start);
    }

    static RedisLockStore open(TestRedis redis) {
        return open(client(redis));
    }

    static RedisLockStore open(RedisLockClient.Builder client) {
        return new RedisLockStore(client.connection(), "test");
    }

    static RedisLockClient.Builder client(TestRedis redis) {
        return RedisLockClient.builder().uri(redis.uri().toString());
    }

    /** Sends any command on a connection of its own. */
    static Object call(TestRedis redis, String command, String... arguments) {
        return call(redis.uri(), command, arguments);
    }

    static Object call(URI uri, String command, String... arguments) {
        try (Connection connection = new Connection(new HostAndPort(uri.getHost(), uri.getPort()))) {
            connection.connect();
            CommandArguments all = new CommandArguments(() -> command.getBytes(StandardCharsets.US_ASCII));
            for (String argument : arguments) {
                all.add(argument);
            }
            Object reply = connection.executeCommand(all);
            return reply instanceof byte[] bytes ? new String(bytes, StandardCharsets.UTF_8) : reply;
        }
    }

    /** Looks again and again; ends with the test's time-out. */
    static void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            if (Thread.currentThread().isInterrupted()) {
                throw new AssertionError("What was awaited has not come");
            }
            Thread.onSpinWait();
        }
    }

    /** Runs on a thread of its own: the common pool may have but one. */
    static <T> CompletableFuture<T> async(Supplier<T> task) {
        return CompletableFuture.supplyAsync(task, runnable -> new Thread(runnable).start());
    }
}
