package org.redislocked.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.redislocked.ReentrantRedisLock;
import org.redislocked.core.LockStore.Granted;

/** An engine over a store in memory, with a clock and schedulers that the test moves. */
abstract class EngineTest {

    static final Duration LEASE = Duration.ofSeconds(30);
    static final LockSettings SETTINGS = new LockSettings(
            "test", LEASE, Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(10), Duration.ZERO);

    final ManualTime time = new ManualTime();
    final MemoryLockStore memory = new MemoryLockStore(new MemorySpace(time));
    final FaultyStore store = new FaultyStore(memory);

    /** The platform's. */
    final ManualTime.Scheduler scheduler = time.scheduler();

    final LockEngine engine =
            new LockEngine(store, SETTINGS, () -> scheduler, time.scheduler(), time.scheduler(), time);
    final ReentrantRedisLock lock = engine.get("order");

    @AfterEach
    void close() {
        engine.close();
    }

    /** Somebody else takes the lock. */
    void takenByOther(Duration lease) {
        assertThat(memory.acquire("order", "other:1:1", lease, 0, Long.MAX_VALUE))
                .isInstanceOf(Granted.class);
    }

    void releasedByOther() {
        assertThat(memory.release("order", "other:1:1")).isTrue();
    }
}
