package org.redislocked.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.redislocked.RedisLockLostException;
import org.redislocked.ReentrantRedisLock;
import org.redislocked.redis.RedisLockClient;
import org.redislocked.testing.RedisBinary;

/** What becomes of holds whose thread goes on to other work, or ends. */
@Tag("faults")
@Timeout(60)
class ThreadTest {

    private final Scene scene = Scene.on(RedisBinary.preferred());

    @AfterEach
    void end() {
        scene.close();
    }

    @Test
    void pooledThread_afterALostHold_beginsAnew() throws Exception {
        ExecutorService pool = Executors.newSingleThreadExecutor();
        try (RedisLockClient client =
                scene.directClient().leaseTime(Scene.SHORT_LEASE).build()) {
            ReentrantRedisLock lock = client.get("order");
            AtomicLong token = new AtomicLong();
            pool.submit(() -> {
                        lock.lock();
                        token.set(lock.fencingToken());
                        scene.call("DEL", scene.key("order"));
                        Scene.await("that the hold is lost", () -> !lock.isHeldByCurrentThread());
                        assertThatExceptionOfType(RedisLockLostException.class).isThrownBy(lock::unlock);
                    })
                    .get();
            pool.submit(() -> {
                        lock.lock();
                        assertThat(lock.getHoldCount()).isEqualTo(1);
                        assertThat(lock.fencingToken()).isGreaterThan(token.get());
                        assertThat(client.current()).isPresent();
                        lock.unlock();
                        assertThat(scene.isFree("order")).isTrue();
                    })
                    .get();
        } finally {
            pool.shutdownNow();
        }
    }

    @Test
    void pooledThread_lostHoldNeverLeft_nextUserIsToldAndNotLetIn() throws Exception {
        ExecutorService pool = Executors.newSingleThreadExecutor();
        try (RedisLockClient client =
                scene.directClient().leaseTime(Scene.SHORT_LEASE).build()) {
            ReentrantRedisLock lock = client.get("order");
            pool.submit(() -> {
                        lock.lock();
                        scene.call("DEL", scene.key("order"));
                        Scene.await("that the hold is lost", () -> !lock.isHeldByCurrentThread());
                    })
                    .get();
            pool.submit(() -> {
                        assertThat(client.current()).isEmpty();
                        assertThatExceptionOfType(RedisLockLostException.class).isThrownBy(lock::lock);
                        assertThatExceptionOfType(RedisLockLostException.class).isThrownBy(lock::unlock);
                        lock.lock();
                        assertThat(lock.isHeldByCurrentThread()).isTrue();
                        lock.unlock();
                    })
                    .get();
        } finally {
            pool.shutdownNow();
        }
    }

    @Test
    void ownerThreadEnds_anotherGetsTheLockThoughTheClientLives() throws Exception {
        try (RedisLockClient client =
                        scene.directClient().leaseTime(Scene.SHORT_LEASE).build();
                RedisLockClient other = scene.directClient().build()) {
            Scene.run(() -> client.get("order").lock()).join();
            // its client goes on renewing what its living threads hold
            client.get("another").lock();
            other.get("order").lock();
            assertThat(client.get("another").isHeldByCurrentThread()).isTrue();
            other.get("order").unlock();
            client.get("another").unlock();
        }
    }
}
