package org.redislocked.core;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.MINUTES;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.redislocked.core.FaultyStore.Operation.ACQUIRE;
import static org.redislocked.core.FaultyStore.Operation.RELEASE;
import static org.redislocked.core.FaultyStore.Operation.SUBSCRIBE;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.redislocked.RedisLockLostException;
import org.redislocked.RedisLockUnavailableException;
import org.redislocked.ReentrantRedisLock;

/** Interleavings that were once wrong, each forced. */
class ReviewedRacesTest extends EngineTest {

    @Test
    void lose_takesAContendedLockOnItsWay_theHeadThatNoticedStillGetsTheLock() throws Exception {
        // A lock of the executor that tells of losses, for which the head has to park between freeing the lock and
        // looking at it again: the park uses up the permit by which the head had woken itself.
        ReentrantLock executorsLock = new ReentrantLock();
        CountDownLatch telling = new CountDownLatch(1);
        ExecutorService contended = new ForwardingExecutor(time.scheduler(), () -> {
            telling.countDown();
            executorsLock.lock();
            executorsLock.unlock();
        });
        LockEngine.Threads threads = new LockEngine.Threads(time.scheduler(), time.scheduler(), contended);
        executorsLock.lock();
        try (LockEngine telltale =
                new LockEngine(store, SETTINGS, () -> null, losses::add, Container.NONE, threads, time)) {
            ReentrantRedisLock held = telltale.get("order");
            held.lock();
            Party<Boolean> head = Party.running(held::lock).awaitQueued();
            time.jump(LEASE);
            LockSupport.unpark(head.thread());
            telling.await();
            Party.await(() -> executorsLock.hasQueuedThread(head.thread()));
            executorsLock.unlock();
            assertThat(head.result()).isTrue();
            assertThatExceptionOfType(RedisLockLostException.class).isThrownBy(held::unlock);
        }
    }

    /** Does something, on the thread of the caller, before it hands a task on. */
    private static final class ForwardingExecutor extends AbstractExecutorService {
        private final ExecutorService next;
        private final Runnable before;

        ForwardingExecutor(ExecutorService next, Runnable before) {
            this.next = next;
            this.before = before;
        }

        @Override
        public void execute(Runnable command) {
            before.run();
            next.execute(command);
        }

        @Override
        public void shutdown() {
            next.shutdown();
        }

        @Override
        public List<Runnable> shutdownNow() {
            return next.shutdownNow();
        }

        @Override
        public boolean isShutdown() {
            return next.isShutdown();
        }

        @Override
        public boolean isTerminated() {
            return next.isTerminated();
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
            return next.awaitTermination(timeout, unit);
        }
    }

    @Test
    void close_whileAReleaseIsUnderWay_waitsForIt() throws Exception {
        LockEngine closing = engine(patient(Duration.ofMinutes(1)), () -> null);
        CountDownLatch sent = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        store.before(RELEASE, () -> {
            sent.countDown();
            Party.await(() -> goOn.getCount() == 0);
        });
        ReentrantRedisLock held = closing.get("order");
        Party<Boolean> owner = Party.running(() -> {
            held.lock();
            held.unlock();
        });
        sent.await();
        Party<Boolean> closer = Party.running(closing::close);
        Party.await(() -> closer.thread().getState() == Thread.State.TIMED_WAITING);
        assertThat(closer.isDone()).isFalse();
        goOn.countDown();
        assertThat(owner.result()).isTrue();
        assertThat(closer.result()).isTrue();
        assertThat(lock.isLocked()).isFalse();
    }

    @Test
    void close_releasesThatAreBeingRepeated_areTriedOnceMore() {
        lock.lock();
        store.unreachable(RELEASE, 1);
        lock.unlock();
        assertThat(lock.isLocked()).isTrue();
        engine.close();
        assertThat(lock.isLocked()).isFalse();
    }

    @Test
    void scheduler_lookUpThrows_lockIsAcquiredAllTheSame() {
        try (LockEngine unlucky = engine(SETTINGS, () -> {
            throw new IllegalStateException("no naming context");
        })) {
            unlucky.get("order").lock();
            unlucky.get("order").unlock();
        }
    }

    @Test
    void abandonedAttempt_storeAwayForLongerThanAnOperation_isReleasedWhenItIsBack() {
        store.after(ACQUIRE, () -> {
            Thread.currentThread().interrupt();
            throw new StoreException(StoreException.Kind.UNKNOWN, "Closed by interrupt.", null);
        });
        assertThatExceptionOfType(InterruptedException.class).isThrownBy(lock::lockInterruptibly);
        store.unreachable(RELEASE, 12);
        assertThat(lock.isLocked()).isTrue();
        time.advance(Duration.ofSeconds(25)); // less than the lease
        assertThat(lock.isLocked()).isFalse();
    }

    @Test
    void inheritedAttempt_releaseIsRepeatedForTheLongerLease() throws Exception {
        store.after(ACQUIRE, () -> {
            Thread.currentThread().interrupt();
            throw new StoreException(StoreException.Kind.UNKNOWN, "Closed by interrupt.", null);
        });
        CountDownLatch queued = new CountDownLatch(1);
        store.before(ACQUIRE, () -> Party.await(() -> queued.getCount() == 0));
        Party<Boolean> first = Party.of(() -> lock.tryLock(30, 10, MINUTES));
        Party.await(() -> store.instructionsLeft(ACQUIRE) == 0);
        Party<Boolean> second = Party.running(() -> {
            lock.lock();
            store.unreachable(RELEASE, 20);
            lock.unlock();
        });
        second.awaitQueued();
        queued.countDown();
        assertThatExceptionOfType(InterruptedException.class).isThrownBy(first::result);
        second.result();
        time.advance(Duration.ofMinutes(3));
        assertThat(lock.isLocked()).isFalse();
    }

    @Test
    void lostHoldOfAThreadThatEnds_isForgotten() throws Exception {
        CountDownLatch lost = new CountDownLatch(1);
        Party<Boolean> owner = Party.running(() -> {
            lock.lock(1, SECONDS);
            lost.await();
        });
        Party.await(() -> lock.isLocked() && engine.threadsInMemory() == 1);
        time.advance(Duration.ofSeconds(20)); // the hold is lost while its owner lives
        lost.countDown();
        owner.awaitEnd();
        time.advance(Duration.ofSeconds(20));
        assertThat(engine.threadsInMemory()).isZero();
    }

    @Test
    void waiterThatGivesUp_doesNotMakeTheHeadTry() throws Exception {
        takenByOther(LEASE);
        Party<Boolean> head = Party.running(lock::lock);
        Party.await(() -> store.count(SUBSCRIBE) == 1);
        head.awaitQueued();
        Party.await(() -> store.count(ACQUIRE) >= 2); // one more once it was subscribed
        for (int i = 0; i < 50; i++) {
            Party<Boolean> waiter = Party.of(() -> lock.tryLock(1, MINUTES)).awaitQueued();
            waiter.thread().interrupt();
            assertThatExceptionOfType(InterruptedException.class).isThrownBy(waiter::result);
        }
        assertThat(store.count(ACQUIRE)).isLessThan(10); // some polls may have come due in real time
        releasedByOther();
        head.result();
    }

    @Test
    void outage_isCountedForAllWaiters_soTheNextDoesNotWaitAnew() {
        store.before(ACQUIRE, () -> {
            throw new StoreException(StoreException.Kind.UNREACHABLE, "Redis is down.", null);
        });
        store.before(ACQUIRE, () -> {
            time.jump(SETTINGS.unavailableTimeout());
            throw new StoreException(StoreException.Kind.UNREACHABLE, "Redis is down.", null);
        });
        assertThatExceptionOfType(RedisLockUnavailableException.class).isThrownBy(lock::lock);
        store.unreachable(ACQUIRE, 5);
        assertThatExceptionOfType(RedisLockUnavailableException.class).isThrownBy(lock::lock);
        assertThat(store.instructionsLeft(ACQUIRE)).isEqualTo(4);
    }

    @Test
    void acquire_failsWithoutTelling_isInDoubt() {
        store.after(ACQUIRE, () -> {
            throw new IllegalStateException("a bug");
        });
        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(lock::tryLock);
        time.runDue();
        assertThat(lock.isLocked()).isFalse();
    }

    @Test
    void release_failsWithoutTelling_isRepeated() {
        lock.lock();
        store.before(RELEASE, () -> {
            throw new IllegalStateException("a bug");
        });
        lock.unlock();
        time.advance(Duration.ofSeconds(1));
        assertThat(lock.isLocked()).isFalse();
    }

    @Test
    void reentry_renewedInsideShortExplicitLease_notExtended_isRefused() {
        lock.lock(200, MILLISECONDS);
        store.unreachable(FaultyStore.Operation.COUNT, 1);
        assertThatExceptionOfType(RedisLockUnavailableException.class).isThrownBy(lock::lock);
        assertThat(lock.getHoldCount()).isOne();
        lock.unlock();
    }

    @Test
    void close_betweenTheGrantAndTheReturnToTheCaller_isToldAsClosedAndNotAsLost() {
        LockEngine[] closing = new LockEngine[1];
        ScheduledExecutorService closesAtFirstHold = (ScheduledExecutorService) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {ScheduledExecutorService.class}, (proxy, method, args) -> {
                    closing[0].close();
                    return null;
                });
        closing[0] = engine(SETTINGS, () -> closesAtFirstHold);
        ReentrantRedisLock neverHeld = closing[0].get("order");
        assertThatIllegalStateException().isThrownBy(neverHeld::lock).withMessageContaining("closed");
        assertThat(closing[0].threadsInMemory()).isZero();
        assertThat(closing[0].namesInMemory()).isZero();
    }

    private static LockSettings patient(Duration shutdownTimeout) {
        return new LockSettings(
                "test",
                LEASE,
                SETTINGS.pollInterval(),
                Duration.ofSeconds(1),
                SETTINGS.operationTimeout(),
                SETTINGS.unavailableTimeout(),
                shutdownTimeout,
                Duration.ZERO,
                Duration.ZERO);
    }
}
