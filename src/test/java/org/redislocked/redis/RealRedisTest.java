package org.redislocked.redis;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.redislocked.RedisLockLostException;
import org.redislocked.RedisLockUnavailableException;
import org.redislocked.ReentrantRedisLock;
import org.redislocked.testing.RedisBinary;
import org.redislocked.testing.TestRedis;

/** Whole clients over a real Redis. */
@Timeout(60)
class RealRedisTest {

    private static final Duration SHORTEST = Duration.ofSeconds(1);

    @Test
    void readThenWrite_byManyThreadsOfTwoClients_losesNothing() throws Exception {
        TestRedis redis = RedisStores.server(RedisBinary.preferred());
        List<Long> tokens = Collections.synchronizedList(new ArrayList<>());
        RedisStores.call(redis, "SET", "stock", "0");
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try (RedisLockClient first = RedisStores.client(redis).build();
                RedisLockClient second = RedisStores.client(redis).build()) {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                ReentrantRedisLock lock = (i % 2 == 0 ? first : second).get("read-then-write");
                running.add(threads.submit(() -> {
                    for (int turn = 0; turn < 50; turn++) {
                        lock.lock();
                        try {
                            tokens.add(lock.fencingToken());
                            int stock = Integer.parseInt((String) RedisStores.call(redis, "GET", "stock"));
                            RedisStores.call(redis, "SET", "stock", String.valueOf(stock + 1));
                        } finally {
                            lock.unlock();
                        }
                    }
                }));
            }
            for (Future<?> each : running) {
                each.get();
            }
            assertThat(RedisStores.call(redis, "GET", "stock")).isEqualTo("400");
            assertThat(tokens).hasSize(400).isSorted().doesNotHaveDuplicates();
            assertThat(first.get("read-then-write").isLocked()).isFalse();
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void leaseThatEndsWithoutAMessage_wakesTheWaiterOfAnotherClient() {
        TestRedis redis = RedisStores.server(RedisBinary.preferred());
        try (RedisLockClient first =
                        RedisStores.client(redis).shutdownTimeout(Duration.ZERO).build();
                RedisLockClient second = RedisStores.client(redis).build()) {
            first.get("no-message").lock(600, MILLISECONDS);
            first.close(); // as if it had died: the lock is not released
            ReentrantRedisLock lock = second.get("no-message");
            assertThat(lock.tryLock()).isFalse();
            lock.lock();
            lock.unlock();
        }
    }

    @Test
    void waiters_needNoConnectionEach() throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        try (TestRedis redis = TestRedis.start();
                RedisLockClient holder = RedisStores.client(redis).build();
                RedisLockClient waiting = RedisStores.client(redis).poolSize(4).build()) {
            List<Future<?>> waiters = new ArrayList<>();
            for (int name = 0; name < 20; name++) {
                holder.get("name" + name).lock();
                ReentrantRedisLock lock = waiting.get("name" + name);
                for (int i = 0; i < 10; i++) {
                    waiters.add(threads.submit(() -> {
                        lock.lock();
                        lock.unlock();
                    }));
                }
            }
            await(() -> channels(redis) == 21); // one for each name, and the idle one
            // of the holder's pool one, of the waiters' at most four, one for the signals, and the one that asks
            assertThat(((String) RedisStores.call(redis, "CLIENT", "LIST"))
                            .lines()
                            .count())
                    .isLessThanOrEqualTo(7);
            for (int name = 0; name < 20; name++) {
                holder.get("name" + name).unlock();
            }
            for (Future<?> each : waiters) {
                each.get();
            }
            await(() -> channels(redis) == 1);
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void hold_longerThanItsLease_isRenewedFromTheStandbyThread() {
        TestRedis redis = RedisStores.server(RedisBinary.preferred());
        try (RedisLockClient client =
                RedisStores.client(redis).leaseTime(SHORTEST).build()) {
            ReentrantRedisLock lock = client.get("renewed");
            lock.lock();
            long end = System.nanoTime() + SHORTEST.multipliedBy(4).toNanos();
            await(() -> {
                assertThat(lock.holder()).isPresent();
                assertThat(lock.isHeldByCurrentThread()).isTrue();
                return System.nanoTime() - end > 0;
            });
            lock.unlock();
        }
    }

    @Test
    void redisRestartedEmpty_holdIsLostAndSaidSo() {
        try (TestRedis redis = TestRedis.start();
                RedisLockClient client =
                        RedisStores.client(redis).leaseTime(SHORTEST).build()) {
            ReentrantRedisLock lock = client.get("lost");
            lock.lock();
            redis.restart();
            await(() -> !lock.isHeldByCurrentThread());
            assertThatExceptionOfType(RedisLockLostException.class)
                    .isThrownBy(lock::unlock)
                    .withMessageContaining("'lost'");
        }
    }

    @Test
    void redisRestarted_idleConnectionsAreDead_nextTryLockSucceeds() {
        try (TestRedis redis = TestRedis.start();
                RedisLockClient client = RedisStores.client(redis).build()) {
            ReentrantRedisLock lock = client.get("again");
            fillPool(client);
            redis.restart();
            assertThat(lock.tryLock()).isTrue();
            lock.unlock();
        }
    }

    @Test
    void redisDown_lockSaysSoWithinTheTimeout() {
        try (TestRedis redis = TestRedis.start();
                RedisLockClient client = RedisStores.client(redis)
                        .unavailableTimeout(Duration.ofMillis(500))
                        .build()) {
            redis.stop();
            assertThatExceptionOfType(RedisLockUnavailableException.class)
                    .isThrownBy(() -> client.get("order").lock())
                    .withMessageContaining("'order'")
                    .withMessageContaining(redis.uri().toString());
            redis.restart();
            client.get("order").lock();
            client.get("order").unlock();
        }
    }

    @Test
    void redisHangs_tryLockReturnsAndTheReleaseIsMadeUpFor() throws Exception {
        try (TestRedis redis = TestRedis.start();
                RedisLockClient client = RedisStores.client(redis)
                        .commandTimeout(Duration.ofMillis(200))
                        .build();
                RedisLockClient other = RedisStores.client(redis).build()) {
            ReentrantRedisLock lock = client.get("hangs");
            lock.lock();
            redis.suspend();
            lock.unlock(); // its work is done, and was done under a valid lease
            assertThatExceptionOfType(RedisLockUnavailableException.class)
                    .isThrownBy(() -> lock.tryLock(100, MILLISECONDS))
                    .withMessageContaining("hangs");
            redis.resume();
            // neither the unanswered acquisition nor the late release leaves anything behind
            assertThat(other.get("hangs").tryLock(20, SECONDS)).isTrue();
            other.get("hangs").unlock();
        }
    }

    private static void fillPool(RedisLockClient client) {
        List<CompletableFuture<Void>> calls = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            int number = i;
            calls.add(CompletableFuture.runAsync(() -> {
                client.get("fill" + number).lock();
                client.get("fill" + number).unlock();
            }));
        }
        calls.forEach(CompletableFuture::join);
    }

    private static int channels(TestRedis redis) {
        return ((List<?>) RedisStores.call(redis, "PUBSUB", "CHANNELS")).size();
    }

    private static void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            Thread.onSpinWait(); // the test's time-out ends it
        }
    }
}
