package org.redislocked.core;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.redislocked.core.FaultyStore.Operation.RENEW;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.redislocked.ReentrantRedisLock;

/** Who renews, when the platform's scheduler does its work and when not. */
class WatchdogTest extends EngineTest {

    /** Longer than the longest period, and shorter than half a lease. */
    private static final Duration ONE_PERIOD = Duration.ofSeconds(11);

    @Test
    void renew_idle_sendsNothing() {
        time.advance(LEASE.multipliedBy(10));
        assertThat(store.executed).isEmpty();
        lock.lock();
        lock.unlock();
        time.advance(LEASE.multipliedBy(10));
        assertThat(store.count(RENEW)).isZero();
    }

    @Test
    void renew_longHold_keepsTheLeaseForAsLongAsItTakes() {
        lock.lock();
        for (int i = 0; i < 1_000; i++) {
            time.advance(Duration.ofSeconds(1));
            assertThat(lock.isHeldByCurrentThread()).isTrue();
            assertThat(lock.remainingLease()).isGreaterThan(Duration.ofSeconds(18));
        }
        assertThat(store.count(RENEW)).isBetween(90L, 112L);
        lock.unlock();
    }

    @Test
    void renew_manyHolds_goOutInBatches() {
        for (int i = 0; i < 1_201; i++) {
            engine.get("name" + i).lock();
        }
        time.advance(ONE_PERIOD);
        assertThat(store.count(RENEW)).isEqualTo(3);
    }

    @Test
    void renew_oneBatchFails_theOthersAreRenewed() {
        List<ReentrantRedisLock> locks = new ArrayList<>();
        for (int i = 0; i < 1_201; i++) {
            locks.add(engine.get("name" + i));
            locks.get(i).lock();
        }
        store.unreachable(RENEW, 1);
        time.advance(ONE_PERIOD);
        assertThat(locks.stream().filter(l -> l.remainingLease().compareTo(Duration.ofSeconds(20)) > 0))
                .hasSizeGreaterThanOrEqualTo(701);
        time.advance(ONE_PERIOD);
        assertThat(locks).allMatch(ReentrantRedisLock::isHeldByCurrentThread);
    }

    @Test
    void renew_failsForAWhile_isTriedFasterAndSucceeds() {
        lock.lock();
        store.unreachable(RENEW, 5);
        time.advance(Duration.ofSeconds(25));
        assertThat(store.count(RENEW)).isPositive();
        time.advance(LEASE);
        assertThat(lock.isHeldByCurrentThread()).isTrue();
    }

    @Test
    void renew_throwsAnything_theSeriesGoesOn() {
        lock.lock();
        for (int i = 0; i < 4; i++) {
            store.before(RENEW, () -> {
                throw new AssertionError("a bug");
            });
        }
        time.advance(LEASE.multipliedBy(4));
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        assertThat(store.count(RENEW)).isGreaterThan(5);
    }

    @Test
    void scheduler_beforeTheFirstHold_isGivenNothing() {
        assertThat(time.isIdle()).isTrue();
        assertThat(engine.hasScheduler()).isTrue();
        lock.lock();
        assertThat(time.isIdle()).isFalse();
        assertThat(engine.schedulerRenews()).isTrue();
        lock.unlock();
    }

    @Test
    void scheduler_toldToBegin_isGivenOneSeries() {
        engine.beginRenewal();
        assertThat(engine.schedulerRenews()).isTrue();
        engine.beginRenewal();
        lock.lock();
        time.advance(ONE_PERIOD);
        assertThat(store.count(RENEW)).isOne();
        lock.unlock();
    }

    @Test
    void scheduler_skipsItsRuns_standbyTakesOverAndGivesBack() {
        lock.lock();
        time.advance(ONE_PERIOD);
        long byScheduler = store.count(RENEW);
        scheduler.skipping = true;
        time.advance(LEASE.multipliedBy(5));
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        assertThat(store.count(RENEW)).isGreaterThan(byScheduler + 10);
        scheduler.skipping = false;
        time.advance(LEASE.multipliedBy(2));
        // From now on the standby finds nothing to do: only the scheduler renews, once in a period.
        long before = store.count(RENEW);
        time.advance(ONE_PERIOD.multipliedBy(10));
        assertThat(store.count(RENEW) - before).isBetween(9L, 13L);
        assertThat(engine.schedulerRenews()).isTrue();
    }

    @Test
    void scheduler_diesWhileIdle_standbyTakesOverAtTheNextHold() {
        lock.lock();
        lock.unlock();
        time.advance(LEASE);
        scheduler.skipping = true;
        time.advance(LEASE.multipliedBy(10));
        lock.lock();
        time.advance(LEASE.multipliedBy(3));
        assertThat(lock.isHeldByCurrentThread()).isTrue();
    }

    @Test
    void scheduler_slowPass_standbyTakesOver() {
        lock.lock();
        store.before(RENEW, () -> time.jump(Duration.ofMillis(251)));
        time.advance(ONE_PERIOD);
        assertThat(engine.schedulerRenews()).isFalse();
        time.advance(LEASE.multipliedBy(2));
        assertThat(engine.schedulerRenews()).isTrue();
        assertThat(lock.isHeldByCurrentThread()).isTrue();
    }

    @Test
    void scheduler_none_standbyRenews() {
        try (LockEngine alone = engine(SETTINGS, () -> null)) {
            ReentrantRedisLock mine = alone.get("alone");
            assertThat(alone.hasScheduler()).isFalse();
            mine.lock();
            time.advance(LEASE.multipliedBy(3));
            assertThat(mine.isHeldByCurrentThread()).isTrue();
            assertThat(store.count(RENEW)).isGreaterThan(5);
            mine.unlock();
        }
    }

    @Test
    void scheduler_notThereAtStart_isSoughtOnceMoreAtFirstUse() {
        AtomicReference<ScheduledExecutorService> found = new AtomicReference<>();
        try (LockEngine late = engine(SETTINGS, found::get)) {
            assertThat(late.hasScheduler()).isFalse();
            found.set(scheduler);
            late.get("late").lock();
            assertThat(late.hasScheduler()).isTrue();
            late.get("late").unlock();
        }
    }

    @Test
    void scheduler_refusesTheSeries_standbyRenews() {
        ManualTime.Scheduler refusing = time.scheduler();
        refusing.shutdown();
        try (LockEngine alone = engine(SETTINGS, () -> refusing)) {
            ReentrantRedisLock mine = alone.get("alone");
            mine.lock();
            time.advance(LEASE.multipliedBy(3));
            assertThat(mine.isHeldByCurrentThread()).isTrue();
            mine.unlock();
        }
    }

    @Test
    void lostHoldOfADeadThread_isForgottenThoughNothingIsToBeRenewed() throws Exception {
        try (LockEngine alone = engine(SETTINGS, () -> null)) {
            Party<Boolean> owner = Party.running(() -> {
                alone.get("order").lock(100, MILLISECONDS);
                time.jump(Duration.ofMillis(100));
                assertThat(alone.get("order").isHeldByCurrentThread()).isFalse(); // and it does not unlock
            });
            assertThat(owner.result()).isTrue();
            owner.awaitEnd();
            time.advance(LEASE);
            assertThat(alone.threadsInMemory()).isZero();
            time.advance(LEASE);
            assertThat(store.count(RENEW)).isZero();
        }
    }

    @Test
    void releasedWhileAnEarlierBatchWasRenewed_isNotRenewed() {
        List<ReentrantRedisLock> locks = IntStream.rangeClosed(0, 500)
                .mapToObj(i -> engine.get("lock" + i))
                .toList();
        locks.forEach(ReentrantRedisLock::lock);
        store.before(RENEW, () -> locks.forEach(ReentrantRedisLock::unlock));
        time.advance(Duration.ofSeconds(12));
        assertThat(store.count(RENEW)).isOne();
    }
}
