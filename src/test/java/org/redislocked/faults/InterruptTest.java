package org.redislocked.faults;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.redislocked.ReentrantRedisLock;
import org.redislocked.redis.RedisLockClient;
import org.redislocked.testing.Fault;
import org.redislocked.testing.RedisBinary;

/** A thread is interrupted at any moment of an acquisition. */
@Tag("faults")
@Timeout(60)
class InterruptTest {

    private static final int ROUNDS = 150;

    private enum Way {
        LOCK_INTERRUPTIBLY,
        TRY_LOCK_WITH_TIME,
        TRY_LOCK_WITH_SHORT_TIME
    }

    @ParameterizedTest
    @EnumSource
    void interruptedAtRandom_theFlagIsRightAndNothingIsLeft(Way way) throws Exception {
        Random random = new Random(11);
        AtomicInteger granted = new AtomicInteger();
        AtomicInteger interrupted = new AtomicInteger();
        AtomicBoolean over = new AtomicBoolean();
        try (Scene scene = Scene.on(RedisBinary.preferred());
                RedisLockClient client = scene.client().build();
                RedisLockClient other = scene.directClient().build()) {
            Random ofProxy = new Random(12);
            scene.proxy.policy(command -> {
                // acquisitions are seen in all their stages: before, in and after each command
                int delay = Math.max(0, ofProxy.nextInt(6_000_000) - 3_000_000);
                LockSupport.parkNanos(delay);
                return Fault.PASS;
            });
            // who is interrupted is now alone, now waits for another
            Scene.Running rival = Scene.run(() -> {
                while (!over.get()) {
                    other.get("order").lock();
                    LockSupport.parkNanos(2_000_000);
                    other.get("order").unlock();
                    LockSupport.parkNanos(4_000_000);
                }
            });
            ReentrantRedisLock lock = client.get("order");
            for (int round = 0; round < ROUNDS; round++) {
                long delay = random.nextInt(8_000_000);
                Scene.Running waiter = Scene.run(() -> {
                    try {
                        if (way == Way.LOCK_INTERRUPTIBLY) {
                            lock.lockInterruptibly();
                        } else if (!tryLock(lock, way)) {
                            assertThat(lock.isHeldByCurrentThread()).isFalse();
                            return;
                        }
                    } catch (InterruptedException e) {
                        interrupted.incrementAndGet();
                        assertThat(Thread.currentThread().isInterrupted()).isFalse();
                        assertThat(lock.isHeldByCurrentThread()).isFalse();
                        return;
                    }
                    assertThat(lock.isHeldByCurrentThread()).isTrue();
                    if (Thread.currentThread().isInterrupted()) {
                        granted.incrementAndGet();
                    } else {
                        // it comes yet: an interrupt that was swallowed would never be seen
                        Scene.await(
                                "the interrupt", () -> Thread.currentThread().isInterrupted());
                    }
                    lock.unlock();
                    assertThat(Thread.currentThread().isInterrupted()).isTrue();
                });
                LockSupport.parkNanos(delay);
                waiter.thread.interrupt();
                waiter.join();
            }
            over.set(true);
            rival.join();
            // both were tried: an interrupt that came in time, and one that came in the midst of success
            assertThat(interrupted).hasPositiveValue();
            assertThat(granted).hasPositiveValue();
            Scene.await("that the lock is free", () -> scene.locks().isEmpty());
            Scene.await("that nobody is subscribed", () -> scene.channels().isEmpty());
            assertThat(lock.tryLock()).isTrue();
            assertThat(lock.getHoldCount()).isEqualTo(1);
            lock.unlock();
        }
    }

    private static boolean tryLock(ReentrantRedisLock lock, Way way) throws InterruptedException {
        return way == Way.TRY_LOCK_WITH_TIME ? lock.tryLock(10, SECONDS) : lock.tryLock(4, MILLISECONDS);
    }
}
