package org.redislocked.faults;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.redislocked.ReentrantRedisLock;
import org.redislocked.redis.RedisLockClient;
import org.redislocked.testing.JavaProcess;
import org.redislocked.testing.RedisBinary;
import org.redislocked.testing.TestRedis;
import redis.clients.jedis.RedisClient;

/** The JVM of a holder dies, or stands still for longer than its lease. */
@Tag("faults")
@Timeout(60)
@ParameterizedClass
@MethodSource("org.redislocked.testing.RedisBinary#available")
class HolderProcessTest {

    private static final Duration SHORT_LEASE = Duration.ofSeconds(1);

    /** Long enough for all that a test does meanwhile. */
    private static final Duration LONG_LEASE = Duration.ofSeconds(4);

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final TestRedis redis;
    private final RedisLockClient client;
    private final RedisClient raw;
    private final String name = "process-" + UUID.randomUUID();
    private final ReentrantRedisLock lock;

    HolderProcessTest(RedisBinary binary) {
        redis = TestRedis.start(binary);
        client = RedisLockClient.builder().uri(redis.uri().toString()).build();
        raw = RedisClient.create(redis.uri());
        lock = client.get(name);
    }

    @AfterEach
    void close() {
        raw.close();
        client.close();
        redis.close();
    }

    @Test
    void killed_itsLockIsFreeWhenTheLeaseEnds() throws Exception {
        try (JavaProcess holder = holder(LONG_LEASE)) {
            long token = Long.parseLong(holder.readLine(PATIENCE));
            assertThat(lock.tryLock()).isFalse();
            holder.kill();
            long left = raw.pttl("redis-lock:" + name);
            assertThat(left).isBetween(1L, LONG_LEASE.toMillis());
            assertThat(lock.tryLock()).isFalse(); // Redis knows nothing of the death
            assertThat(lock.tryLock(20, SECONDS)).isTrue();
            assertThat(lock.fencingToken()).isGreaterThan(token);
            lock.unlock();
        }
    }

    @Test
    void suspendedForLongerThanItsLease_hasLostIt_andIsToldWhenItGoesOn() throws Exception {
        try (JavaProcess holder = holder(SHORT_LEASE)) {
            long oldToken = Long.parseLong(holder.readLine(PATIENCE));
            write(oldToken);
            holder.suspend();
            assertThat(lock.tryLock(20, SECONDS)).isTrue();
            long newToken = lock.fencingToken();
            assertThat(write(newToken)).isTrue();
            holder.resume();
            holder.writeLine("held");
            assertThat(readAnswer(holder)).isEqualTo("held: false");
            // what it would write now, as if the pause had come between its check and its write, is refused
            assertThat(write(oldToken)).isFalse();
            holder.writeLine("unlock");
            assertThat(readAnswer(holder)).isEqualTo("lost");
            // and nothing that it does now, renewal or release, touches the hold of the other
            assertThat(lock.isHeldByCurrentThread()).isTrue();
            assertThat(raw.hgetAll("redis-lock:" + name)).hasSize(1).allSatisfy((grant, count) -> {
                assertThat(grant).doesNotStartWith("holder-");
                assertThat(count).isEqualTo("1");
            });
            lock.unlock();
        }
    }

    @Test
    void suspendedForLessThanItsLease_keepsIt() {
        try (JavaProcess holder = holder(LONG_LEASE)) {
            holder.readLine(PATIENCE);
            Map<String, String> grant = raw.hgetAll("redis-lock:" + name);
            holder.suspend();
            long left = raw.pttl("redis-lock:" + name);
            assertThat(left).isPositive();
            holder.resume();
            holder.writeLine("held");
            assertThat(readAnswer(holder)).isEqualTo("held: true");
            assertThat(raw.hgetAll("redis-lock:" + name)).isEqualTo(grant);
            holder.writeLine("unlock");
            assertThat(readAnswer(holder)).isEqualTo("unlocked");
            assertThat(lock.isLocked()).isFalse();
        }
    }

    private JavaProcess holder(Duration lease) {
        return JavaProcess.start(Holder.class, redis.uri().toString(), name, lease.toString());
    }

    /** {@return the next line that answers a command} The news of a loss may come before or after it. */
    private static String readAnswer(JavaProcess holder) {
        String line = holder.readLine(PATIENCE);
        return line.startsWith("told of ") ? holder.readLine(PATIENCE) : line;
    }

    /** {@return whether a storage that knows fencing tokens accepts the write} */
    private boolean write(long token) {
        String fenced = "local last = tonumber(redis.call('GET', KEYS[1])) or 0\n"
                + "if tonumber(ARGV[1]) < last then return 0 end\n"
                + "redis.call('SET', KEYS[1], ARGV[1]) return 1";
        return raw.eval(fenced, 1, "storage", String.valueOf(token)).equals(1L);
    }
}
