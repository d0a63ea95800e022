package org.redislocked.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.redislocked.redis.RedisStores.call;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.redislocked.core.LockStore;
import org.redislocked.core.LockStore.Contended;
import org.redislocked.core.LockStore.GrantKey;
import org.redislocked.core.LockStore.Granted;
import org.redislocked.core.LockStore.Renewal;
import org.redislocked.core.StoreException;
import org.redislocked.core.StoreException.Kind;
import org.redislocked.testing.RedisBinary;
import org.redislocked.testing.TestRedis;

/** What the scripts leave in Redis, and what they do when Redis does not do all they ask. */
@ParameterizedClass
@MethodSource("org.redislocked.testing.RedisBinary#available")
class ScriptsTest {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration LIMIT = Duration.ofSeconds(5);
    private static final String MINE = "me-1f:1:1";
    private static final String OTHERS = "you-2e:1:1";
    private static final String LOCK = "redis-lock:order";
    private static final String FENCE = "redis-lock:~fence:{redis-lock:order}";

    private final RedisBinary binary;
    private TestRedis redis;
    private LockStore store;

    ScriptsTest(RedisBinary binary) {
        this.binary = binary;
    }

    @BeforeEach
    void start() {
        redis = TestRedis.start(binary);
        store = RedisStores.open(redis);
    }

    @AfterEach
    void stop() {
        store.close();
        redis.close();
    }

    @Test
    void acquire_whenFree_leavesHashWithLeaseAndFenceForAnHour() {
        Granted granted = acquire("order", MINE);

        assertThat(call(redis, "HGET", LOCK, MINE)).isEqualTo("1");
        assertThat(call(redis, "HLEN", LOCK)).isEqualTo(1L);
        assertThat((Long) call(redis, "PTTL", LOCK)).isBetween(25_000L, 30_000L);
        assertThat(call(redis, "GET", FENCE)).isEqualTo(String.valueOf(granted.token()));
        assertThat((Long) call(redis, "PTTL", FENCE)).isBetween(3_595_000L, 3_600_000L);
    }

    @Test
    void release_whenOwned_leavesTheFenceOnly() {
        acquire("order", MINE);

        store.release("order", MINE);

        assertThat(call(redis, "DBSIZE")).isEqualTo(1L);
        assertThat(call(redis, "EXISTS", FENCE)).isEqualTo(1L);
    }

    @Test
    void acquire_whenFenceIsAheadOfTheClock_goesOnFromTheFence() {
        long ahead = store.timeMicros() + 3_600_000_000L;
        call(redis, "SET", FENCE, String.valueOf(ahead));

        assertThat(acquire("order", MINE).token()).isEqualTo(ahead + 1);
    }

    @Test
    void acquire_whenKeyHasNoEnd_saysSo() {
        acquire("order", OTHERS);
        call(redis, "PERSIST", LOCK);

        assertThat(store.acquire("order", MINE, LEASE, 0, 0)).isEqualTo(new Contended(-1));
    }

    @Test
    void everyOperation_afterScriptFlush_works() {
        flush();
        acquire("order", MINE);
        flush();
        assertThat(store.count("order", MINE, 2, LEASE)).isTrue();
        flush();
        assertThat(store.holder("order")).isPresent();
        flush();
        assertThat(renew(5))
                .containsExactly(
                        Renewal.RENEWED, Renewal.NOT_OWNED, Renewal.NOT_OWNED, Renewal.NOT_OWNED, Renewal.NOT_OWNED);
        flush();
        assertThat(store.release("order", MINE)).isTrue();
    }

    @Test
    void renew_tenThousand_renewsAllInSeveralBatches() {
        int count = 10_000;
        List<GrantKey> grants = IntStream.range(0, count)
                .mapToObj(i -> new GrantKey("many-" + i, MINE))
                .toList();
        grants.forEach(grant -> acquire(grant.lockName(), MINE));

        assertThat(store.renew(grants, LEASE.multipliedBy(2), LIMIT))
                .hasSize(count)
                .containsOnly(Renewal.RENEWED);
        assertThat((Long) call(redis, "PTTL", "redis-lock:many-" + (count - 1))).isGreaterThan(30_000L);
    }

    @Test
    void outOfMemory_acquire_isRefusedAndLeavesNothing() {
        store.timeMicros();
        call(redis, "CONFIG", "SET", "maxmemory", "1");

        assertRefused(() -> acquire("order", MINE), "is out of memory (OOM)");

        assertThat(call(redis, "DBSIZE")).isEqualTo(0L);
    }

    @Test
    void outOfMemory_renewCountAndRelease_work() {
        acquire("order", MINE);
        call(redis, "CONFIG", "SET", "maxmemory", "1");

        assertThat(store.count("order", MINE, 2, LEASE.multipliedBy(2))).isTrue();
        assertThat((Long) call(redis, "PTTL", LOCK)).isGreaterThan(30_000L);
        assertThat(store.count("order", MINE, 1, Duration.ZERO)).isTrue();
        assertThat(renew(1)).containsExactly(Renewal.RENEWED);
        assertThat(store.holder("order")).isPresent();
        assertThat(store.release("order", MINE)).isTrue();
        assertThat(call(redis, "EXISTS", LOCK)).isEqualTo(0L);
    }

    @Test
    void outOfMemory_afterScriptFlush_releaseWorks() {
        acquire("order", MINE);
        flush();
        call(redis, "CONFIG", "SET", "maxmemory", "1");

        assertThat(store.release("order", MINE)).isTrue();
    }

    @Test
    void foreignKey_everyOperation_isRefusedAndLeavesItUntouched() {
        call(redis, "SET", LOCK, "not a lock");
        String message = "Key 'redis-lock:order' in Redis at " + redis.uri() + " is not a lock";

        assertRefused(() -> acquire("order", MINE), message);
        assertRefused(() -> store.count("order", MINE, 2, LEASE), message);
        assertRefused(() -> store.holder("order"), message);
        assertRefused(() -> store.release("order", MINE), message);
        assertThat(renew(2)).containsExactly(Renewal.FAILED, Renewal.NOT_OWNED);

        assertThat(call(redis, "GET", LOCK)).isEqualTo("not a lock");
        assertThat(call(redis, "PTTL", LOCK)).isEqualTo(-1L);
        assertThat(call(redis, "DBSIZE")).isEqualTo(1L);
    }

    @Test
    void foreignHash_acquire_isContendedAndLeavesItUntouched() {
        call(redis, "HSET", LOCK, "name", "value");

        assertThat(store.acquire("order", MINE, LEASE, 0, 0)).isEqualTo(new Contended(-1));
        assertThat(store.holder("order")).hasValueSatisfying(holder -> {
            assertThat(holder.grantId()).isEqualTo("name");
            assertThat(holder.heldFor()).isEqualTo(Duration.ZERO);
        });
        assertThat(call(redis, "HGET", LOCK, "name")).isEqualTo("value");
    }

    private Granted acquire(String lockName, String grantId) {
        return (Granted) store.acquire(lockName, grantId, LEASE, 0, 0);
    }

    /** Renews the lock and others that are free. */
    private List<Renewal> renew(int count) {
        List<GrantKey> grants = IntStream.range(0, count)
                .mapToObj(i -> new GrantKey(i == 0 ? "order" : "free-" + i, MINE))
                .toList();
        return store.renew(grants, LEASE, LIMIT);
    }

    private void flush() {
        call(redis, "SCRIPT", "FLUSH");
    }

    private static void assertRefused(ThrowingCallable operation, String message) {
        assertThatThrownBy(operation)
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.REFUSED))
                .hasMessageContaining(message);
    }
}
