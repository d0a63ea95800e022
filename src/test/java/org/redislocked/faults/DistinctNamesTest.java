package org.redislocked.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.redislocked.ReentrantRedisLock;
import org.redislocked.redis.RedisLockClient;
import org.redislocked.testing.TestRedis;
import redis.clients.jedis.RedisClient;

/** Names that come and go, as those of orders do. */
@Tag("faults")
@Timeout(300)
class DistinctNamesTest {

    private static final int NAMES = 1_000_000;
    private static final int THREADS = 16;

    /** One entry of a map, however small, would take more for each name. */
    private static final long BYTES_A_NAME = 8;

    @Test
    void aMillionNamesUsedOnce_leaveNothingInTheJvmAndOnlyTheirFencesInRedis() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try (TestRedis redis = TestRedis.start();
                RedisLockClient client =
                        RedisLockClient.builder().uri(redis.uri().toString()).build();
                RedisClient raw = RedisClient.create(redis.uri())) {
            lockAndUnlock(client, threads, 0, 20_000); // what is loaded and pooled is there now
            long before = usedHeapBytes();
            lockAndUnlock(client, threads, 20_000, NAMES);
            assertThat(usedHeapBytes() - before).isLessThan(NAMES * BYTES_A_NAME);
            assertThat(raw.dbSize()).isEqualTo(NAMES); // one fence each, and no lock
            assertThat(raw.pttl("redis-lock:~fence:{redis-lock:name" + (NAMES - 1) + "}"))
                    .isBetween(1L, 3_600_000L);
        } finally {
            threads.shutdownNow();
        }
    }

    private static void lockAndUnlock(RedisLockClient client, ExecutorService threads, int from, int to)
            throws Exception {
        List<Future<?>> all = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            int first = from + thread;
            all.add(threads.submit(() -> {
                for (int i = first; i < to; i += THREADS) {
                    ReentrantRedisLock lock = client.get("name" + i);
                    lock.lock();
                    lock.unlock();
                }
            }));
        }
        for (Future<?> each : all) {
            each.get();
        }
    }

    /** {@return the least that is seen after several collections} What is found dead late is no leak. */
    private static long usedHeapBytes() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            System.gc();
            least = Math.min(
                    least,
                    ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        }
        return least;
    }
}
