package org.redislocked.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.redislocked.core.LockStore;
import org.redislocked.core.LockStore.GrantKey;
import org.redislocked.core.LockStore.Granted;
import org.redislocked.core.LockStore.Renewal;
import org.redislocked.core.StoreException;
import org.redislocked.core.StoreException.Kind;
import org.redislocked.testing.TestRedis;

/** The pool, the renewal connection, and interrupts. */
@Timeout(30)
class ScriptedRedisTest {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration LIMIT = Duration.ofSeconds(5);
    private static final String MINE = "me-1f:1:1";

    private TestRedis redis;

    @BeforeEach
    void start() {
        redis = TestRedis.start();
    }

    @AfterEach
    void stop() {
        redis.close();
    }

    @Test
    void pool_whenExhausted_isUnreachableWithinPoolWaitAndRenewalGoesOn() throws Exception {
        RedisLockClient.Builder client = RedisStores.client(redis).poolSize(1).poolWait(Duration.ofMillis(100));
        try (LockStore store = RedisStores.open(client)) {
            store.acquire("order", MINE, LEASE, 0, 0);
            List<GrantKey> grants = List.of(new GrantKey("order", MINE));
            store.renew(grants, LEASE, LIMIT);
            redis.suspend();
            CompletableFuture<?> blocking = CompletableFuture.runAsync(() -> acquire(store, "another"));
            awaitBlocked(store);
            redis.resume();

            assertThat(store.renew(grants, LEASE, LIMIT)).containsExactly(Renewal.RENEWED);
            blocking.join();
            assertThat(acquire(store, "third")).isInstanceOf(Granted.class);
        }
    }

    @Test
    void pool_underManyThreads_staysWithinItsSize() {
        try (LockStore store = RedisStores.open(RedisStores.client(redis).poolSize(2))) {
            IntStream.range(0, 8)
                    .mapToObj(i -> CompletableFuture.runAsync(() -> {
                        for (int j = 0; j < 100; j++) {
                            acquire(store, "lock-" + i + "-" + j);
                        }
                    }))
                    .toList()
                    .forEach(CompletableFuture::join);

            String clients = (String) RedisStores.call(redis, "CLIENT", "LIST");
            assertThat(clients.lines().filter(line -> line.contains("cmd=evalsha")))
                    .hasSizeBetween(1, 2);
        }
    }

    @Test
    void interrupt_whileWaitingForAConnection_isKeptAndDoesNotCutTheWait() throws Exception {
        RedisLockClient.Builder client = RedisStores.client(redis).poolSize(1);
        try (LockStore store = RedisStores.open(client)) {
            store.timeMicros();
            redis.suspend();
            CompletableFuture<?> blocking = CompletableFuture.runAsync(() -> acquire(store, "another"));
            CountDownLatch done = new CountDownLatch(1);
            AtomicReference<Object> outcome = new AtomicReference<>();
            Thread waiting = new Thread(() -> {
                Object answer = acquire(store, "order");
                outcome.set(Thread.currentThread().isInterrupted() ? answer : "flag lost");
                done.countDown();
            });
            waiting.start();
            while (waiting.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
            }
            waiting.interrupt();
            redis.resume();

            done.await();
            assertThat(outcome.get()).isInstanceOf(Granted.class);
            blocking.join();
        }
    }

    @Test
    void renew_whenRedisHangs_failsWithinItsLimitAndWorksAfterwards() {
        try (LockStore store = RedisStores.open(redis)) {
            acquire(store, "order");
            List<GrantKey> grants = List.of(new GrantKey("order", MINE));
            store.renew(grants, LEASE, LIMIT);
            redis.suspend();

            long start = System.nanoTime();
            assertThat(store.renew(grants, LEASE, Duration.ofMillis(200))).containsExactly(Renewal.FAILED);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMillis(1_500));

            redis.resume();
            assertThat(store.renew(grants, LEASE, LIMIT)).containsExactly(Renewal.RENEWED);
        }
    }

    @Test
    void renew_thousandsWhenRedisHangs_failsWithinItsLimit() {
        try (LockStore store = RedisStores.open(redis)) {
            List<GrantKey> grants = IntStream.range(0, 50_000)
                    .mapToObj(i -> new GrantKey("a-lock-with-quite-a-long-name-" + i, MINE))
                    .toList();
            store.renew(grants.subList(0, 1), LEASE, LIMIT);
            redis.suspend();

            long start = System.nanoTime();
            assertThat(store.renew(grants, LEASE, Duration.ofMillis(200))).containsOnly(Renewal.FAILED);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMillis(1_500));
            redis.resume();
        }
    }

    @Test
    void renew_whenRedisIsAway_failsAndWorksAfterItsReturn() {
        try (LockStore store = RedisStores.open(redis)) {
            List<GrantKey> grants = List.of(new GrantKey("order", MINE));
            store.renew(grants, LEASE, LIMIT);
            redis.stop();
            assertThat(store.renew(grants, LEASE, LIMIT)).containsExactly(Renewal.FAILED);
            redis.restart();

            acquire(store, "order");
            assertThat(store.renew(grants, LEASE, LIMIT)).containsExactly(Renewal.RENEWED);
        }
    }

    @Test
    void close_whileRenewing_endsThePass() {
        LockStore store = RedisStores.open(redis);
        List<GrantKey> grants = List.of(new GrantKey("order", MINE));
        store.renew(grants, LEASE, LIMIT);
        redis.suspend();
        CompletableFuture<List<Renewal>> pass =
                CompletableFuture.supplyAsync(() -> store.renew(grants, LEASE, Duration.ofMinutes(1)));

        store.close();

        assertThat(pass.join()).containsExactly(Renewal.FAILED);
        assertThat(store.renew(grants, LEASE, LIMIT)).containsExactly(Renewal.FAILED);
        redis.resume();
    }

    /** Waits until the one connection is in use. */
    private static void awaitBlocked(LockStore store) {
        assertThatThrownBy(() -> {
                    while (true) {
                        store.timeMicros();
                    }
                })
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.kind()).isIn(Kind.UNREACHABLE, Kind.UNKNOWN));
    }

    private static Object acquire(LockStore store, String lockName) {
        return store.acquire(lockName, MINE, LEASE, 0, 0);
    }
}
