package org.redislocked.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.redislocked.ReentrantRedisLock;
import org.redislocked.testing.RedisBinary;
import org.redislocked.testing.TestRedis;
import org.redislocked.testing.VirtualThreads;

/** Where an interrupt closes the socket. */
@Tag(VirtualThreads.TAG)
@Timeout(60)
class VirtualThreadLockTest {

    private final TestRedis redis = RedisStores.server(RedisBinary.preferred());

    @Test
    void lock_byManyVirtualThreads_excludes() throws Exception {
        AtomicInteger inside = new AtomicInteger();
        int[] unguarded = {0};
        try (RedisLockClient client = RedisStores.client(redis).build()) {
            ReentrantRedisLock lock = client.get("many-virtual");
            List<FutureTask<Boolean>> tasks = new ArrayList<>();
            for (int i = 0; i < 1_000; i++) {
                tasks.add(start(() -> {
                    lock.lock();
                    assertThat(inside.incrementAndGet()).isOne();
                    unguarded[0]++;
                    inside.decrementAndGet();
                    lock.unlock();
                }));
            }
            for (FutureTask<Boolean> task : tasks) {
                assertThat(task.get()).isTrue();
            }
            assertThat(unguarded[0]).isEqualTo(1_000);
            assertThat(lock.isLocked()).isFalse();
        }
    }

    @Test
    void unlock_withTheInterruptStatusSet_releases() throws Exception {
        try (RedisLockClient client = RedisStores.client(redis).build()) {
            ReentrantRedisLock lock = client.get("interrupted-virtual");
            FutureTask<Boolean> task = start(() -> {
                lock.lock();
                Thread.currentThread().interrupt();
                lock.unlock();
                assertThat(Thread.interrupted()).isTrue();
            });
            assertThat(task.get()).isTrue();
            assertThat(lock.isLocked()).isFalse();
        }
    }

    @Test
    void lockInterruptibly_interruptedAtAnyMoment_leavesNothingBehind() throws Exception {
        Random random = new Random(42);
        try (RedisLockClient client = RedisStores.client(redis).build()) {
            ReentrantRedisLock lock = client.get("random-virtual");
            AtomicInteger granted = new AtomicInteger();
            for (int round = 0; round < 200; round++) {
                CountDownLatch started = new CountDownLatch(1);
                FutureTask<Boolean> task = new FutureTask<>(
                        () -> {
                            started.countDown();
                            try {
                                lock.lockInterruptibly();
                            } catch (InterruptedException e) {
                                return;
                            }
                            granted.incrementAndGet();
                            lock.unlock();
                        },
                        true);
                Thread thread = VirtualThreads.factory().newThread(task);
                thread.start();
                started.await();
                long end = System.nanoTime() + random.nextInt(400_000);
                while (System.nanoTime() - end < 0) {
                    Thread.onSpinWait();
                }
                thread.interrupt();
                task.get();
            }
            assertThat(granted).hasPositiveValue();
            // what was interrupted in doubt is cleaned up in the background: the lock can be had before any lease ends
            lock.lock();
            assertThat(lock.getHoldCount()).isOne();
            lock.unlock();
        }
    }

    private static FutureTask<Boolean> start(Runnable body) {
        FutureTask<Boolean> task = new FutureTask<>(body, true);
        VirtualThreads.factory().newThread(task).start();
        return task;
    }
}
