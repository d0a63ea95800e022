package org.redislocked.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.redislocked.core.LockStore;
import org.redislocked.core.LockStore.GrantKey;
import org.redislocked.core.LockStore.Granted;
import org.redislocked.core.LockStore.Renewal;
import org.redislocked.core.StoreException;
import org.redislocked.core.StoreException.Kind;
import org.redislocked.testing.TestRedis;
import org.redislocked.testing.VirtualThreads;

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
    void pool_whenExhausted_isUnreachableWithinPoolWaitAndRenewalGoesOn() {
        RedisLockClient.Builder client = RedisStores.client(redis).poolSize(1).poolWait(Duration.ofMillis(100));
        try (LockStore store = RedisStores.open(client)) {
            acquire(store, "order");
            redis.suspend();
            List<CompletableFuture<Object>> two = IntStream.range(0, 2)
                    .mapToObj(i -> CompletableFuture.supplyAsync(() -> acquire(store, "lock-" + i)))
                    .toList();

            assertThatThrownBy(CompletableFuture.anyOf(two.toArray(CompletableFuture[]::new))::join)
                    .cause()
                    .isInstanceOfSatisfying(
                            StoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.UNREACHABLE))
                    .hasMessageContaining("raise redis-lock.pool.max-size");

            redis.resume();
            assertThat(two)
                    .filteredOn(each -> !each.isCompletedExceptionally())
                    .singleElement()
                    .satisfies(each -> assertThat(each.join()).isInstanceOf(Granted.class));
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
        try (LockStore store = RedisStores.open(RedisStores.client(redis).poolSize(1))) {
            store.timeMicros();
            redis.suspend();
            Map<Thread, Object> outcomes = new ConcurrentHashMap<>();
            List<Thread> two = IntStream.range(0, 2)
                    .mapToObj(i -> new Thread(() -> {
                        Object answer = acquire(store, "lock-" + i);
                        boolean interrupted = Thread.currentThread().isInterrupted();
                        outcomes.put(Thread.currentThread(), List.of(answer.getClass(), interrupted));
                    }))
                    .toList();
            two.forEach(Thread::start);
            Thread waiting = awaitWaiting(two);

            waiting.interrupt();
            redis.resume();

            for (Thread each : two) {
                each.join();
                assertThat(outcomes.get(each)).isEqualTo(List.of(Granted.class, each == waiting));
            }
        }
    }

    /** {@return the one that waits while the other reads} */
    private static Thread awaitWaiting(List<Thread> threads) {
        while (true) {
            for (Thread each : threads) {
                if (each.getState() == Thread.State.TIMED_WAITING) {
                    return each;
                }
            }
        }
    }

    @Test
    @Tag(VirtualThreads.TAG)
    void interruptedVirtualThread_everyOperation_worksAndKeepsTheFlag() throws Exception {
        try (LockStore store = RedisStores.open(redis)) {
            CompletableFuture<List<Object>> outcome = new CompletableFuture<>();
            VirtualThreads.factory()
                    .newThread(() -> {
                        Thread.currentThread().interrupt();
                        outcome.complete(List.of(
                                acquire(store, "order").getClass(),
                                store.renew(List.of(new GrantKey("order", MINE)), LEASE, LIMIT),
                                store.release("order", MINE),
                                Thread.currentThread().isInterrupted()));
                    })
                    .start();

            assertThat(outcome.get(10, TimeUnit.SECONDS))
                    .isEqualTo(List.of(Granted.class, List.of(Renewal.RENEWED), true, true));
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
            assertUnanswered(() -> store.renew(grants, LEASE, Duration.ofMillis(200)));
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
            assertUnanswered(() -> store.renew(grants, LEASE, Duration.ofMillis(200)));
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
            assertThatThrownBy(() -> store.renew(grants, LEASE, LIMIT)).hasMessageContaining("ended the connection");
            assertThatThrownBy(() -> store.renew(grants, LEASE, LIMIT)).hasMessageContaining("cannot be reached");
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

        assertThatThrownBy(pass::join).hasCauseInstanceOf(StoreException.class);
        redis.resume();
        assertThatThrownBy(() -> store.renew(grants, LEASE, LIMIT)).isInstanceOf(StoreException.class);
    }

    private static void assertUnanswered(ThrowingCallable operation) {
        assertThatThrownBy(operation)
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.UNKNOWN))
                .hasMessageContaining("did not answer in time");
    }

    private static Object acquire(LockStore store, String lockName) {
        return store.acquire(lockName, MINE, LEASE, 0, 0);
    }
}
