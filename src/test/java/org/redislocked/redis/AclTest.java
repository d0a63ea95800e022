package org.redislocked.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.redislocked.redis.RedisStores.call;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.redislocked.core.LockStore.GrantKey;
import org.redislocked.core.LockStore.Granted;
import org.redislocked.core.LockStore.Renewal;
import org.redislocked.core.LockStore.Subscription;
import org.redislocked.core.StoreException;
import org.redislocked.core.StoreException.Kind;
import org.redislocked.testing.RedisBinary;
import org.redislocked.testing.TestRedis;

/** A user with exactly the rights that the README lists can do everything, and with less is told what is missing. */
@ParameterizedClass
@MethodSource("org.redislocked.testing.RedisBinary#available")
class AclTest {

    private static final String RIGHTS =
            "~redis-lock:* &redis-lock:* +evalsha +eval +pttl +hexists +time +get +set +hset"
                    + " +hgetall +pexpire +del +publish +subscribe +unsubscribe +ping";

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration LIMIT = Duration.ofSeconds(5);
    private static final String MINE = "me-1f:1:1";

    private final RedisBinary binary;
    private TestRedis redis;

    AclTest(RedisBinary binary) {
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
    void listedRights_everyOperation_works() throws InterruptedException {
        Semaphore wakeUps = new Semaphore(0);
        try (RedisLockStore store = open(RIGHTS);
                Subscription subscription = store.subscribe("order", wakeUps::release)) {
            await(wakeUps);
            assertThat(subscription.isActive()).isTrue();
            assertThat(store.timeMicros()).isPositive();
            assertThat(acquire(store)).isInstanceOf(Granted.class);
            call(redis, "SCRIPT", "FLUSH");
            assertThat(store.count("order", MINE, 2, LEASE.multipliedBy(2))).isTrue();
            assertThat(store.renew(List.of(new GrantKey("order", MINE)), LEASE.multipliedBy(3), LIMIT))
                    .containsExactly(Renewal.RENEWED);
            assertThat(store.holder("order").orElseThrow().holdCount()).isEqualTo(2);
            assertThat(store.release("order", MINE)).isTrue();
            await(wakeUps);
        }
    }

    @Test
    void readme_hasTheseRights() throws IOException {
        assertThat(Files.readString(Path.of("README.md"))).contains(RIGHTS);
    }

    @ParameterizedTest
    @ValueSource(strings = {"evalsha", "eval", "pttl", "time", "get", "set", "hset", "pexpire"})
    void rightToAcquire_whenMissing_isToldAndLeavesNoLock(String command) {
        try (RedisLockStore store = open(RIGHTS.replace(" +" + command + " ", " "))) {
            assertDenied(() -> acquire(store));
            assertThat(call(redis, "EXISTS", "redis-lock:order")).isEqualTo(0L);
        }
    }

    @Test
    void rightsToExpireAndDelete_whenBothAreMissing_leaveNoLockWithoutALease() {
        try (RedisLockStore store = open(RIGHTS.replace(" +pexpire", "").replace(" +del", ""))) {
            assertDenied(() -> acquire(store));
            assertThat(call(redis, "EXISTS", "redis-lock:order")).isEqualTo(0L);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"hexists", "del"})
    void rightToRelease_whenMissing_isTold(String command) {
        call(redis, "HSET", "redis-lock:order", MINE, "1");
        try (RedisLockStore store = open(RIGHTS.replace(" +" + command, ""))) {
            assertDenied(() -> store.release("order", MINE));
        }
    }

    @Test
    void keyPattern_whenAnother_isTold() {
        try (RedisLockStore store = open(RIGHTS.replace("~redis-lock:*", "~other:*"))) {
            assertDenied(() -> acquire(store));
            assertDenied(() -> store.release("order", MINE));
        }
    }

    @Test
    void channel_whenDenied_isWarnedOfOnceAndReleaseWorks() throws Exception {
        List<String> warnings = new ArrayList<>();
        Semaphore warned = new Semaphore(0);
        try (CapturedLog log = new CapturedLog(message -> {
                    warnings.add(message);
                    warned.release();
                });
                RedisLockStore store = open(RIGHTS.replace("&redis-lock:*", ""));
                Subscription subscription = store.subscribe("order", () -> {})) {
            await(warned);
            store.subscribe("another", () -> {});

            assertThat(acquire(store)).isInstanceOf(Granted.class);
            assertThat(store.release("order", MINE)).isTrue();
            assertThat(call(redis, "EXISTS", "redis-lock:order")).isEqualTo(0L);
            assertThat(subscription.isActive()).isFalse();
            assertThat(warnings).singleElement().asString().contains("waiters have to poll", "redis-lock:~channel:");
            assertThat(log).isNotNull();
        }
    }

    private RedisLockStore open(String rights) {
        List<String> rules = new ArrayList<>(List.of("SETUSER", "app", "reset", "on", ">secret", "resetchannels"));
        Arrays.stream(rights.split(" ")).filter(rule -> !rule.isEmpty()).forEach(rules::add);
        assertThat(call(redis, "ACL", rules.toArray(String[]::new))).isEqualTo("OK");
        return RedisStores.open(RedisStores.client(redis).username("app").password("secret"));
    }

    private static Object acquire(RedisLockStore store) {
        return store.acquire("order", MINE, LEASE, 0, 0);
    }

    private static void assertDenied(ThrowingCallable operation) {
        assertThatThrownBy(operation)
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.REFUSED))
                .hasMessageContaining("does not permit user 'app' what a lock needs")
                .hasMessageNotContaining("secret");
    }

    private static void await(Semaphore semaphore) throws InterruptedException {
        assertThat(semaphore.tryAcquire(LIMIT.toMillis(), TimeUnit.MILLISECONDS))
                .isTrue();
    }
}
