package org.redislocked.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.redislocked.LockLost;
import org.redislocked.ReentrantRedisLock;
import org.redislocked.core.LockStore.Granted;

/** An engine over a store in memory, with a clock and schedulers that the test moves. */
abstract class EngineTest {

    static final Duration LEASE = Duration.ofSeconds(30);
    static final LockSettings SETTINGS = new LockSettings(
            "test",
            LEASE,
            Duration.ofSeconds(1),
            Duration.ofSeconds(1),
            Duration.ofSeconds(2),
            Duration.ofSeconds(10),
            Duration.ZERO,
            Duration.ZERO,
            Duration.ZERO);

    final ManualTime time = new ManualTime();
    final MemoryLockStore memory = new MemoryLockStore(new MemorySpace(time));
    final FaultyStore store = new FaultyStore(memory);

    /** The platform's. */
    final ManualTime.Scheduler scheduler = time.scheduler();

    /** What the listener of the engines was told. */
    final List<LockLost> losses = new CopyOnWriteArrayList<>();

    final ManualTransactions transactions = new ManualTransactions();

    /** What the leak guard was shown. */
    final List<LeakGuard.GuardedHold> guarded = new CopyOnWriteArrayList<>();

    /** What the current one is known by. */
    volatile Object request = "the first";

    final LockEngine engine = engine(SETTINGS, () -> scheduler);
    final ReentrantRedisLock lock = engine.get("order");

    @AfterEach
    void close() {
        engine.close();
    }

    LockEngine engine(LockSettings settings, Supplier<ScheduledExecutorService> platform) {
        return new LockEngine(store, settings, platform, losses::add, container(), threads(), time);
    }

    private Container container() {
        return new Container() {
            @Override
            public Transactions transactions() {
                return transactions;
            }

            @Override
            public LeakGuard leakGuard() {
                return new LeakGuard() {
                    @Override
                    public Object request() {
                        return request;
                    }

                    @Override
                    public Object entered(GuardedHold hold) {
                        guarded.add(hold);
                        return request;
                    }
                };
            }
        };
    }

    LockEngine.Threads threads() {
        return new LockEngine.Threads(time.scheduler(), time.scheduler(), time.scheduler());
    }

    void assertHeld() {
        assertThat(memory.holder("order")).as("the holder").isPresent();
    }

    void assertFree() {
        assertThat(memory.holder("order")).as("the holder").isEmpty();
        assertThat(engine.namesInMemory()).isZero();
        assertThat(engine.isIdle()).as("no hold in memory").isTrue();
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
