package org.redislocked.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.redislocked.ReentrantRedisLock;
import org.redislocked.redis.RedisLockClient;
import org.redislocked.testing.RedisBinary;
import org.redislocked.testing.VirtualThreads;

/** Ten thousand virtual threads wait. */
@Tag(VirtualThreads.TAG)
@Timeout(120)
class VirtualThreadsWaitTest {

    private static final int WAITERS = 10_000;

    private final Scene scene = Scene.on(RedisBinary.preferred());

    @AfterEach
    void end() {
        scene.close();
    }

    @Test
    void tenThousandWaitForOneLock_eachGetsItAlone() throws Exception {
        try (RedisLockClient holder = scene.directClient().build();
                RedisLockClient client = scene.client().build()) {
            holder.get("order").lock();
            AtomicInteger inside = new AtomicInteger();
            AtomicInteger begun = new AtomicInteger();
            int[] unguarded = {0};
            List<FutureTask<?>> waiters = new ArrayList<>();
            for (int i = 0; i < WAITERS; i++) {
                waiters.add(start(() -> {
                    begun.incrementAndGet();
                    ReentrantRedisLock lock = client.get("order");
                    lock.lock();
                    assertThat(inside.incrementAndGet()).isOne();
                    unguarded[0]++;
                    inside.decrementAndGet();
                    lock.unlock();
                }));
            }
            Scene.await("all waiters", () -> begun.get() == WAITERS);
            Scene.await("that one is subscribed", () -> !scene.channels().isEmpty());
            // one of them waits for Redis, and the others for it
            assertThat(scene.proxy.connections()).isLessThanOrEqualTo(3);
            holder.get("order").unlock();
            for (FutureTask<?> waiter : waiters) {
                waiter.get(100, TimeUnit.SECONDS);
            }
            assertThat(unguarded[0]).isEqualTo(WAITERS);
            assertThat(scene.locks()).isEmpty();
            Scene.await("that nobody is subscribed", () -> scene.channels().isEmpty());
        }
    }

    @Test
    void tenThousandWaitForAsManyLocks_eachGetsItsOwn() throws Exception {
        try (RedisLockClient holder = scene.directClient().build();
                RedisLockClient client = scene.client()
                        .poolWait(Duration.ofSeconds(30))
                        .commandTimeout(Duration.ofSeconds(10))
                        .pollInterval(Duration.ofSeconds(30))
                        .build()) {
            for (int i = 0; i < WAITERS; i++) {
                holder.get("order-" + i).lock();
            }
            AtomicInteger granted = new AtomicInteger();
            List<FutureTask<?>> waiters = new ArrayList<>();
            for (int i = 0; i < WAITERS; i++) {
                ReentrantRedisLock lock = client.get("order-" + i);
                waiters.add(start(() -> {
                    lock.lock();
                    granted.incrementAndGet();
                    lock.unlock();
                }));
            }
            Scene.await("that all are subscribed", () -> scene.channels().size() == WAITERS);
            // the pool, the signals, the renewals
            assertThat(scene.proxy.connections()).isLessThanOrEqualTo(18);
            assertThat(granted).hasValue(0);
            for (int i = 0; i < WAITERS; i++) {
                holder.get("order-" + i).unlock();
            }
            for (FutureTask<?> waiter : waiters) {
                waiter.get(100, TimeUnit.SECONDS);
            }
            assertThat(granted).hasValue(WAITERS);
            assertThat(scene.locks()).isEmpty();
            Scene.await("that nobody is subscribed", () -> scene.channels().isEmpty());
        }
    }

    private static FutureTask<?> start(Runnable body) {
        FutureTask<?> task = new FutureTask<>(body, true);
        VirtualThreads.factory().newThread(task).start();
        return task;
    }
}
