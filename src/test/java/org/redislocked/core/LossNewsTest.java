package org.redislocked.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.redislocked.core.FaultyStore.Operation.RELEASE;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.redislocked.Hold;
import org.redislocked.LockLost;
import org.redislocked.RedisLockLostException;
import org.redislocked.ReentrantRedisLock;

/** Who is told of a lost hold, when and by whom. */
class LossNewsTest extends EngineTest {

    private final List<LockLost> told = new ArrayList<>();

    /** A thread, as it is in use; the others are run by hand. */
    private final ExecutorService real = DaemonThreads.executor("redis-locked-losses-test");

    private LockEngine tellingByAThread(Consumer<LockLost> listener) {
        LockEngine.Threads threads = new LockEngine.Threads(time.scheduler(), time.scheduler(), real);
        return new LockEngine(store, SETTINGS, () -> scheduler, listener, Container.NONE, threads, time);
    }

    @Test
    void lost_listenerIsToldOnceWhatHappened() {
        lock.lock();
        Hold hold = engine.current().orElseThrow();
        Duration certain = hold.remainingLease();
        time.jump(certain.plusMillis(70));
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        time.advance(LEASE);
        assertThatExceptionOfType(RedisLockLostException.class).isThrownBy(lock::unlock);
        time.advance(LEASE);
        assertThat(losses).singleElement().satisfies(loss -> {
            assertThat(loss.lockName()).isEqualTo("order");
            assertThat(loss.holdId()).isEqualTo(hold.id());
            assertThat(loss.fencingToken()).isEqualTo(hold.fencingToken());
            assertThat(loss.late()).isEqualTo(Duration.ofMillis(70));
            assertThat(loss.reason()).contains("lease ended");
            assertThat(loss.ownerThread()).isEqualTo(Thread.currentThread().getName());
            assertThat(loss.ownerStackTrace())
                    .anyMatch(frame -> frame.getClassName().equals(LossNewsTest.class.getName()));
            assertThat(loss)
                    .hasToString("Hold " + hold.id() + " of lock 'order', of thread "
                            + Thread.currentThread().getName() + ", was lost: " + loss.reason());
        });
    }

    @Test
    void lostBeforeTheDeadline_isNotLate() {
        lock.lock();
        memory.release("order", lock.holder().orElseThrow().grantId());
        time.advance(LEASE.dividedBy(2));
        assertThat(losses).singleElement().satisfies(loss -> {
            assertThat(loss.late()).isZero();
            assertThat(loss.reason()).contains("no longer knew");
        });
    }

    @Test
    void noCallback_isRefusedAtOnce() {
        lock.lock();
        Hold hold = engine.current().orElseThrow();
        assertThatNullPointerException().isThrownBy(() -> hold.onLost(null)).withMessage("callback");
    }

    @Test
    void released_nobodyIsTold() {
        lock.lock();
        engine.current().orElseThrow().onLost(told::add);
        lock.unlock();
        time.advance(LEASE.multipliedBy(2));
        assertThat(losses).isEmpty();
        assertThat(told).isEmpty();
    }

    @Test
    void releaseFindsItLost_isToldAsAnyLoss() {
        lock.lock();
        engine.current().orElseThrow().onLost(told::add);
        memory.release("order", lock.holder().orElseThrow().grantId());
        assertThatExceptionOfType(RedisLockLostException.class).isThrownBy(lock::unlock);
        time.runDue();
        assertThat(losses).hasSize(1);
        assertThat(told).hasSize(1);
    }

    @Test
    void callback_registeredBeforeAndAfterTheLoss_runsOnceEach() {
        lock.lock();
        Hold hold = engine.current().orElseThrow();
        hold.onLost(told::add);
        time.jump(LEASE);
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        hold.onLost(told::add); // it is lost, and nobody has been told yet
        time.runDue();
        assertThat(told).hasSize(2);
        hold.onLost(told::add);
        time.runDue();
        assertThat(told).hasSize(3).containsOnly(losses.get(0));
    }

    @Test
    void listenerOrCallbackThrows_theOthersAreToldAllTheSame() {
        LockEngine unlucky = new LockEngine(
                store,
                SETTINGS,
                () -> scheduler,
                loss -> {
                    throw new AssertionError("a listener's fault");
                },
                Container.NONE,
                threads(),
                time);
        try (unlucky) {
            ReentrantRedisLock held = unlucky.get("order");
            held.lock();
            unlucky.current().orElseThrow().onLost(loss -> {
                throw new AssertionError("a callback's fault");
            });
            unlucky.current().orElseThrow().onLost(told::add);
            time.jump(LEASE);
            time.runDue(); // the pass of the scheduler is due, and sees the loss
            time.advance(Duration.ofSeconds(1));
            assertThat(told).hasSize(1);
            assertThatExceptionOfType(RedisLockLostException.class).isThrownBy(held::unlock);
        }
    }

    @Test
    void told_byAThreadOfTheClient_neitherOfTheRenewalNorOfTheOwner() throws Exception {
        AtomicReference<Thread> teller = new AtomicReference<>();
        LockEngine telling = tellingByAThread(loss -> teller.set(Thread.currentThread()));
        try (telling) {
            ReentrantRedisLock held = telling.get("order");
            held.lock();
            time.jump(LEASE);
            assertThat(held.isHeldByCurrentThread()).isFalse();
            Party.await(() -> teller.get() != null);
            assertThat(teller.get().getName()).isEqualTo("redis-locked-losses-test");
            assertThat(teller.get().isDaemon()).isTrue();
            assertThatExceptionOfType(RedisLockLostException.class).isThrownBy(held::unlock);
        }
        assertThat(real.isTerminated()).isTrue();
    }

    @Test
    void closedWhileHeld_allAreToldBeforeTheEnd() {
        LockEngine closing = tellingByAThread(loss -> {
            losses.add(loss);
            Party.await(real::isShutdown); // the first one keeps the other waiting until then
        });
        closing.get("order").lock();
        closing.get("another").lock();
        closing.close();
        assertThat(losses)
                .hasSize(2)
                .allSatisfy(loss -> assertThat(loss.reason()).contains("closed"));
        assertThat(store.count(RELEASE)).isZero();
    }

    @Test
    void logHandlerThrows_listenerIsToldAllTheSame() {
        Handler bad = new Handler() {
            @Override
            public void publish(LogRecord logged) {
                throw new IllegalStateException("a handler's fault");
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger logger = Logger.getLogger("org.redislocked");
        lock.lock();
        time.jump(LEASE);
        logger.addHandler(bad);
        try {
            assertThat(lock.isHeldByCurrentThread()).isFalse();
            time.runDue();
        } finally {
            logger.removeHandler(bad);
        }
        assertThat(losses).hasSize(1);
    }

    @Test
    void closedByAnInterruptedThread_allAreToldAndTheStatusIsKept() {
        LockEngine closing = tellingByAThread(loss -> {
            Party.await(real::isShutdown);
            losses.add(loss);
        });
        closing.get("order").lock();
        closing.get("another").lock();
        Thread.currentThread().interrupt();
        closing.close();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(losses).hasSize(2);
    }
}
