package org.redislocked.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.redislocked.ReentrantRedisLock;
import org.redislocked.redis.RedisLockClient;
import org.redislocked.testing.RedisBinary;

/** A name once used leaves nothing behind. */
@Tag("faults")
@Timeout(180)
class ManyNamesTest {

    /** A million take one and a half minutes: run with {@code -Dfaults.names=1000000} (in Maven, as an {@code argLine}). */
    private static final int NAMES = Integer.getInteger("faults.names", 250_000);

    private static final int THREADS = 16;

    /** Less than one reference in a map for each name would take, without the name itself. */
    private static final long SLACK_BYTES = 4_000_000;

    @Test
    void manyNames_heapReturnsAndOnlyFencesRemain() throws Exception {
        try (Scene scene = Scene.alone(RedisBinary.preferred(), "--save", "");
                RedisLockClient client = scene.directClient().build()) {
            use(client, "warm-up", 20_000);
            long before = usedHeap();
            use(client, "name", NAMES);
            long after = usedHeap();
            assertThat(after - before).as("bytes more on the heap").isLessThan(SLACK_BYTES);
            assertThat(Scene.strings(scene.call("KEYS", scene.prefix + "[^~]*")))
                    .isEmpty();
            assertThat(scene.call("DBSIZE")).isEqualTo(NAMES + 20_000L);
            assertThat(scene.channels()).isEmpty();
        }
    }

    private static void use(RedisLockClient client, String prefix, int names) throws Exception {
        AtomicInteger next = new AtomicInteger();
        List<Scene.Running> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            threads.add(Scene.run(() -> {
                for (int n = next.getAndIncrement(); n < names; n = next.getAndIncrement()) {
                    ReentrantRedisLock lock = client.get(prefix + n);
                    lock.lock();
                    lock.unlock();
                }
            }));
        }
        for (Scene.Running thread : threads) {
            thread.thread.join();
            thread.join();
        }
    }

    private static long usedHeap() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            System.gc();
            least = Math.min(
                    least,
                    ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        }
        return least;
    }
}
