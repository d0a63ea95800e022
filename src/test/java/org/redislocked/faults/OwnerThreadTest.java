package org.redislocked.faults;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.redislocked.RedisLockLostException;
import org.redislocked.ReentrantRedisLock;
import org.redislocked.redis.RedisLockClient;
import org.redislocked.testing.Fault;
import org.redislocked.testing.RedisBinary;

/** What happens to the thread that wants a lock or has it: interrupts, its end, its use for something else. */
@Tag("faults")
@Timeout(60)
class OwnerThreadTest {

    private final Scene scene = Scene.on(RedisBinary.preferred());

    @AfterEach
    void end() {
        scene.close();
    }

    @Test
    void endsWithoutUnlocking_lockIsFreedBeforeTheLeaseEnds() throws Exception {
        Duration lease = Duration.ofSeconds(6);
        try (RedisLockClient client = scene.client().leaseTime(lease).build();
                RedisLockClient other = scene.directClient().build()) {
            Scene.run(client.get("order")::lock).join();
            long start = System.nanoTime();
            assertThat(scene.isFree("order")).isFalse();
            assertThat(other.get("order").tryLock(20, SECONDS)).isTrue();
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(lease);
            other.get("order").unlock();
        }
    }

    @Test
    void ofAPool_afterALostHold_beginsAfresh() throws Exception {
        ExecutorService pool = Executors.newSingleThreadExecutor();
        try (RedisLockClient client = scene.client().build()) {
            ReentrantRedisLock lock = client.get("order");
            long[] token = new long[1];
            Future<?> first = pool.submit(() -> {
                lock.lock();
                token[0] = lock.fencingToken();
                scene.call("DEL", scene.key("order"));
                lock.unlock();
            });
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(first::get)
                    .withCauseInstanceOf(RedisLockLostException.class);
            pool.submit(() -> {
                        assertThat(lock.isHeldByCurrentThread()).isFalse();
                        lock.lock();
                        assertThat(lock.getHoldCount()).isOne();
                        assertThat(lock.fencingToken()).isGreaterThan(token[0]);
                        lock.unlock();
                    })
                    .get();
            assertThat(scene.isFree("order")).isTrue();
        } finally {
            pool.shutdownNow();
        }
    }

    /** The proxy stretches every step of an acquisition, so that interrupts hit each of them. */
    @Test
    void interruptedAtRandomMoments_leavesNothingBehindAndTheStatusIsRight() throws Exception {
        Random random = new Random(7);
        scene.proxy.policy(command -> ThreadLocalRandom.current().nextInt(3) == 0
                ? Fault.holdReply(Duration.ofMillis(ThreadLocalRandom.current().nextInt(4)))
                : Fault.PASS);
        AtomicInteger granted = new AtomicInteger();
        AtomicInteger refused = new AtomicInteger();
        try (RedisLockClient client = scene.client().build();
                RedisLockClient other = scene.client().build()) {
            ReentrantRedisLock lock = client.get("order");
            for (int round = 0; round < 300; round++) {
                boolean busy = random.nextBoolean();
                ReentrantRedisLock theirs = other.get("order");
                if (busy) {
                    theirs.lock();
                }
                CountDownLatch interrupted = new CountDownLatch(1);
                Scene.Running waiter = Scene.run(() -> {
                    boolean told = false;
                    try {
                        lock.lockInterruptibly();
                        granted.incrementAndGet();
                        assertThat(lock.isHeldByCurrentThread()).isTrue();
                        lock.unlock();
                    } catch (InterruptedException e) {
                        refused.incrementAndGet();
                        told = true;
                    }
                    assertThat(lock.isHeldByCurrentThread()).isFalse();
                    while (interrupted.getCount() > 0) {
                        Thread.onSpinWait();
                    }
                    // the one interrupt was told by the exception or is told by the status, and not by both
                    assertThat(Thread.interrupted()).isEqualTo(!told);
                });
                pause(random.nextInt(6_000_000));
                waiter.thread.interrupt();
                interrupted.countDown();
                if (busy) {
                    theirs.unlock();
                }
                waiter.join();
            }
            scene.proxy.policy(command -> Fault.PASS);
            assertThat(granted).hasPositiveValue();
            assertThat(refused).hasPositiveValue();
            // an orphan is released in the background: at once, as nothing keeps Redis from answering
            Scene.await("no lock is left", () -> scene.locks().isEmpty());
            Scene.await("no subscription is left", () -> scene.channels().isEmpty());
            assertThat(other.get("order").tryLock()).isTrue();
            other.get("order").unlock();
        }
    }

    /** No sleep is so short. */
    private static void pause(long nanos) {
        long end = System.nanoTime() + nanos;
        while (System.nanoTime() - end < 0) {
            Thread.onSpinWait();
        }
    }
}
