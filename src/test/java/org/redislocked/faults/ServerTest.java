package org.redislocked.faults;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.redislocked.RedisLockLostException;
import org.redislocked.RedisLockUnavailableException;
import org.redislocked.ReentrantRedisLock;
import org.redislocked.redis.RedisLockClient;
import org.redislocked.testing.RedisBinary;

/** Redis itself is restarted, frozen, full or robbed of a key. */
@Tag("faults")
@Timeout(60)
@ParameterizedClass
@MethodSource("org.redislocked.testing.RedisBinary#available")
class ServerTest {

    private final Scene scene;

    ServerTest(RedisBinary binary) {
        scene = Scene.alone(binary);
    }

    @AfterEach
    void end() {
        scene.close();
    }

    @Test
    void restartedEmpty_holdIsLost_andTheNextTokenIsGreater() {
        try (RedisLockClient client = shortLease();
                RedisLockClient other = scene.directClient().build()) {
            ReentrantRedisLock lock = client.get("order");
            lock.lock();
            long token = lock.fencingToken();
            scene.redis.restart();
            other.get("order").lock();
            assertThat(other.get("order").fencingToken()).isGreaterThan(token);
            Scene.await("that the hold is lost", () -> !lock.isHeldByCurrentThread());
            assertThatExceptionOfType(RedisLockLostException.class).isThrownBy(lock::unlock);
            other.get("order").unlock(); // would say that this hold was lost
        }
    }

    @Test
    void frozenForShorterThanTheLease_holdSurvives() {
        try (RedisLockClient client =
                scene.directClient().leaseTime(Duration.ofSeconds(3)).build()) {
            ReentrantRedisLock lock = client.get("order");
            lock.lock();
            // longer than the pause between renewals: one fails, as the log would tell
            scene.redis.suspend();
            LockSupport.parkNanos(Duration.ofMillis(1_500).toNanos());
            scene.redis.resume();
            Scene.during(Duration.ofSeconds(3), () -> {
                assertThat(lock.isHeldByCurrentThread()).isTrue();
                assertThat(scene.isFree("order")).isFalse();
            });
            lock.unlock();
            assertThat(scene.isFree("order")).isTrue();
        }
    }

    @Test
    void frozenForLongerThanTheLease_holdIsLostAndTold_andAnotherGetsTheLock() throws Exception {
        try (RedisLockClient client = shortLease();
                RedisLockClient other = scene.directClient()
                        .unavailableTimeout(Duration.ofSeconds(30))
                        .build()) {
            ReentrantRedisLock lock = client.get("order");
            lock.lock();
            Scene.Running waiter = Scene.run(() -> {
                other.get("order").lock();
                other.get("order").unlock();
            });
            Scene.await("the waiter", () -> !scene.channels().isEmpty());
            scene.redis.suspend();
            Scene.await("that the hold is lost while Redis is silent", () -> !lock.isHeldByCurrentThread());
            // the lease in Redis lasts a little longer than that here
            LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
            scene.redis.resume();
            waiter.join();
            assertThatExceptionOfType(RedisLockLostException.class)
                    .isThrownBy(lock::unlock)
                    .withMessageContaining("'order'");
            assertThat(lock.tryLock(10, SECONDS)).isTrue();
            lock.unlock();
        }
    }

    @Test
    void frozen_tryLockReturnsInTime() {
        try (RedisLockClient client = scene.directClient().build()) {
            client.get("order").lock();
            client.get("order").unlock();
            scene.redis.suspend();
            long start = System.nanoTime();
            assertThatExceptionOfType(RedisLockUnavailableException.class)
                    .isThrownBy(() -> client.get("order").tryLock(500, MILLISECONDS))
                    .withMessageContaining(scene.redis.uri().toString());
            Duration promised = Duration.ofMillis(500).plus(Scene.STEP.multipliedBy(3));
            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .isBetween(Duration.ofMillis(500), promised.plusSeconds(1));
            scene.redis.resume();
        }
    }

    @Test
    void outOfMemory_holdIsRenewedAndReleased_andNewOnesAreRefused() {
        try (RedisLockClient client = shortLease()) {
            ReentrantRedisLock lock = client.get("order");
            lock.lock();
            scene.call("CONFIG", "SET", "maxmemory", "1");
            Scene.during(
                    Scene.SHORT_LEASE.multipliedBy(2),
                    () -> assertThat(lock.isHeldByCurrentThread()).isTrue());
            lock.lock();
            lock.unlock();
            assertThatExceptionOfType(RedisLockUnavailableException.class)
                    .isThrownBy(() -> client.get("another").lock())
                    .withMessageContaining("out of memory (OOM)")
                    .withMessageContaining("maxmemory");
            lock.unlock();
            assertThat(scene.locks()).isEmpty();
            scene.call("CONFIG", "SET", "maxmemory", "0");
            client.get("another").lock();
            client.get("another").unlock();
        }
    }

    @Test
    void keyDeletedByHand_holdIsLostAndTold_andTheNextTokenIsGreater() {
        try (RedisLockClient client = shortLease()) {
            ReentrantRedisLock lock = client.get("order");
            lock.lock();
            long token = lock.fencingToken();
            scene.call("DEL", scene.key("order"), scene.prefix + "~fence:{" + scene.key("order") + "}");
            Scene.await("that the hold is lost", () -> !lock.isHeldByCurrentThread());
            assertThatExceptionOfType(RedisLockLostException.class).isThrownBy(lock::unlock);
            lock.lock();
            assertThat(lock.fencingToken()).isGreaterThan(token);
            lock.unlock();
        }
    }

    @Test
    void keyEvicted_holdIsLostAndTold() {
        try (RedisLockClient client = shortLease()) {
            ReentrantRedisLock lock = client.get("order");
            lock.lock();
            scene.call("CONFIG", "SET", "maxmemory-policy", "allkeys-random");
            scene.call("CONFIG", "SET", "maxmemory", "1");
            Scene.await("that the key is evicted", () -> {
                // each command that needs memory evicts, and is refused when there is nothing left
                try {
                    scene.call("SET", "filler", "x");
                } catch (RuntimeException e) {
                    assertThat(e).hasMessageContaining("OOM");
                }
                return scene.isFree("order");
            });
            Scene.await("that the hold is lost", () -> !lock.isHeldByCurrentThread());
            assertThatExceptionOfType(RedisLockLostException.class).isThrownBy(lock::unlock);
        }
    }

    @Test
    void foreignKey_isToldAndLeftUntouched() {
        try (RedisLockClient client = shortLease()) {
            scene.call("SET", scene.key("order"), "mine");
            assertThatExceptionOfType(RedisLockUnavailableException.class)
                    .isThrownBy(() -> client.get("order").lock())
                    .withMessageContaining("'" + scene.key("order") + "'")
                    .withMessageContaining("WRONGTYPE");
            assertThat(scene.call("GET", scene.key("order"))).isEqualTo("mine");
            scene.call("DEL", scene.key("order"));
            client.get("order").lock();
            client.get("order").unlock();
        }
    }

    @Test
    void channelDenied_waiterGetsTheLockByPolling() throws Exception {
        scene.call("ACL", "SETUSER", "app", "on", ">secret", "~*", "+@all", "resetchannels");
        try (RedisLockClient holder = scene.directClient().build();
                RedisLockClient client = scene.client()
                        .username("app")
                        .password("secret")
                        .pollInterval(Duration.ofMinutes(1)) // that of waiters who rely on a signal
                        .build()) {
            holder.get("order").lock();
            Scene.Running waiter = Scene.run(() -> {
                client.get("order").lock();
                client.get("order").unlock();
            });
            Scene.await("that the waiter polls", () -> scene.proxy.executed("acquire") > 3);
            assertThat(scene.channels()).isEmpty();
            holder.get("order").unlock();
            waiter.join();
            // and one who may not publish releases all the same
            assertThat(scene.isFree("order")).isTrue();
        }
    }

    @Test
    void rightsWithdrawn_holdGoesOnIfTheyComeBackInTime() {
        scene.call("ACL", "SETUSER", "app", "on", ">secret", "~*", "&*", "+@all");
        try (RedisLockClient client = scene.client()
                .username("app")
                .password("secret")
                .leaseTime(Duration.ofSeconds(3))
                .build()) {
            ReentrantRedisLock lock = client.get("order");
            lock.lock();
            int renewals = scene.proxy.seen("count").size();
            scene.call("ACL", "SETUSER", "app", "-evalsha");
            assertThatExceptionOfType(RedisLockUnavailableException.class)
                    .isThrownBy(() -> client.get("another").lock())
                    .withMessageContaining("does not permit user 'app'");
            Scene.await(
                    "a renewal that is refused", () -> scene.proxy.seen("count").size() > renewals);
            scene.call("ACL", "SETUSER", "app", "+evalsha");
            Scene.during(
                    Duration.ofMillis(3_200),
                    () -> assertThat(lock.isHeldByCurrentThread()).isTrue());
            lock.unlock();
            assertThat(scene.isFree("order")).isTrue();
        }
    }

    private RedisLockClient shortLease() {
        return scene.directClient().leaseTime(Scene.SHORT_LEASE).build();
    }
}
