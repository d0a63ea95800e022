package org.redislocked.faults;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.redislocked.ReentrantRedisLock;
import org.redislocked.redis.RedisLockClient;
import org.redislocked.testing.TestRedis;
import org.redislocked.testing.VirtualThreads;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.RedisClient;

/** More threads wait than there could ever be connections. */
@Tag(VirtualThreads.TAG)
@Timeout(120)
class VirtualWaitersTest {

    private static final int WAITERS = 10_000;

    @Test
    void tenThousandWaitForOneLock_eachGetsItOnce() throws Exception {
        waitForLocksOfAnother(1);
    }

    @Test
    void tenThousandWaitForAThousandLocks_eachGetsItsOwn() throws Exception {
        waitForLocksOfAnother(1_000);
    }

    private static void waitForLocksOfAnother(int names) throws Exception {
        int[] visits = new int[names]; // each guarded by the lock of its index
        try (TestRedis redis = TestRedis.start();
                RedisLockClient holder =
                        RedisLockClient.builder().uri(redis.uri().toString()).build();
                RedisLockClient client = RedisLockClient.builder()
                        .uri(redis.uri().toString())
                        .poolSize(8)
                        .build();
                RedisClient raw = RedisClient.create(redis.uri())) {
            for (int name = 0; name < names; name++) {
                holder.get("name" + name).lock();
            }
            List<Thread> threads = new ArrayList<>();
            List<FutureTask<Boolean>> waiters = new ArrayList<>();
            for (int i = 0; i < WAITERS; i++) {
                int name = i % names;
                ReentrantRedisLock lock = client.get("name" + name);
                FutureTask<Boolean> waiter = new FutureTask<>(
                        () -> {
                            lock.lock();
                            visits[name]++;
                            lock.unlock();
                        },
                        true);
                waiters.add(waiter);
                threads.add(VirtualThreads.factory().newThread(waiter));
            }
            threads.forEach(Thread::start);
            // all wait, and one of each name has told Redis so
            await(() -> threads.stream().allMatch(VirtualWaitersTest::isParked) && subscriptions(raw) == names);
            // the pool, signals and renewal of the waiters, one or two of the holder, and the one that asks
            assertThat(clients(raw)).isLessThanOrEqualTo(8 + 2 + 3 + 1);
            for (int name = 0; name < names; name++) {
                holder.get("name" + name).unlock();
            }
            for (FutureTask<Boolean> waiter : waiters) {
                assertThat(waiter.get()).isTrue();
            }
            assertThat(visits).containsOnly(WAITERS / names);
            await(() -> subscriptions(raw) == 0);
            assertThat(raw.dbSize()).isEqualTo(names); // one fence each, and no lock
        }
    }

    private static boolean isParked(Thread thread) {
        return thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING;
    }

    /** {@return how many names are waited for, as Redis knows it} There is one channel more, that keeps the connection. */
    private static int subscriptions(RedisClient raw) {
        var all = (List<?>) raw.executeCommand(new CommandArguments(() -> "PUBSUB".getBytes(US_ASCII)).add("CHANNELS"));
        return Math.max(0, all.size() - 1);
    }

    private static long clients(RedisClient raw) {
        return raw.info("clients")
                .lines()
                .filter(line -> line.startsWith("connected_clients:"))
                .mapToLong(line ->
                        Long.parseLong(line.substring(line.indexOf(':') + 1).strip()))
                .sum();
    }

    private interface Condition {
        boolean holds();
    }

    /** The test's time-out ends it. */
    private static void await(Condition condition) throws InterruptedException {
        while (!condition.holds()) {
            Thread.sleep(10);
        }
    }
}
