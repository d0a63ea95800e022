package org.redislocked.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.redislocked.ReentrantRedisLock;
import org.redislocked.redis.RedisLockClient;
import org.redislocked.testing.RedisBinary;

/** Many threads want one lock, while Redis forgets the scripts and throws clients out at random. */
@Tag("faults")
@Timeout(60)
class WorkloadTest {

    private static final int THREADS_PER_CLIENT = 3;
    private static final int TURNS = 30;
    private static final int LEAST_FAULTS = 60;

    @ParameterizedTest
    @MethodSource("org.redislocked.testing.RedisBinary#available")
    void scriptsFlushedAndClientsKilled_lockExcludesAndEverybodyGetsIt(RedisBinary binary) throws Exception {
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger faults = new AtomicInteger();
        List<Long> tokens = Collections.synchronizedList(new ArrayList<>());
        try (Scene scene = Scene.alone(binary);
                RedisLockClient one = scene.directClient().build();
                RedisLockClient other = scene.directClient().build()) {
            List<Scene.Running> workers = new ArrayList<>();
            for (int i = 0; i < THREADS_PER_CLIENT * 2; i++) {
                ReentrantRedisLock lock = (i % 2 == 0 ? one : other).get("order");
                workers.add(Scene.run(() -> {
                    for (int turn = 0; turn < TURNS || faults.get() < LEAST_FAULTS; turn++) {
                        lock.lock();
                        assertThat(inside.incrementAndGet()).isOne();
                        tokens.add(lock.fencingToken());
                        lock.lock();
                        lock.unlock();
                        inside.decrementAndGet();
                        lock.unlock();
                    }
                }));
            }
            Random random = new Random(7);
            while (!workers.stream().allMatch(Scene.Running::isDone)) {
                switch (random.nextInt(3)) {
                    case 0 -> scene.call("SCRIPT", "FLUSH");
                    case 1 -> scene.call("CLIENT", "KILL", "TYPE", "normal");
                    default -> scene.call("CLIENT", "KILL", "TYPE", "pubsub");
                }
                faults.incrementAndGet();
                LockSupport.parkNanos(random.nextInt(20_000_000));
            }
            for (Scene.Running worker : workers) {
                worker.join();
            }
            assertThat(tokens)
                    .hasSizeGreaterThanOrEqualTo(THREADS_PER_CLIENT * 2 * TURNS)
                    .isSorted()
                    .doesNotHaveDuplicates();
            Scene.await("that the lock is free", () -> scene.locks().isEmpty());
            Scene.await("that nobody is subscribed", () -> scene.channels().isEmpty());
        }
    }
}
