package org.redislocked.core;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.MINUTES;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.redislocked.core.FaultyStore.Operation.ACQUIRE;
import static org.redislocked.core.FaultyStore.Operation.TIME;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.redislocked.RedisLockUnavailableException;
import org.redislocked.ReentrantRedisLock;

/** A store that has failed for the unavailable-timeout: one caller at a time still tries, and nobody waits for long. */
class GivenUpStoreTest extends EngineTest {

    private final CountDownLatch probing = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);

    private void giveUp() {
        store.unreachable(ACQUIRE, 1).before(ACQUIRE, () -> {
            time.jump(SETTINGS.unavailableTimeout());
            throw new StoreException(StoreException.Kind.UNREACHABLE, "Redis is down.", null);
        });
        assertThatExceptionOfType(RedisLockUnavailableException.class).isThrownBy(lock::lock);
        time.jump(Duration.ofMillis(1));
    }

    /** Somebody tries, and has no answer until {@link #goOn}. */
    private Party<Boolean> probe(ReentrantRedisLock probed, boolean succeeds) throws InterruptedException {
        store.before(ACQUIRE, () -> {
            probing.countDown();
            Party.await(() -> goOn.getCount() == 0);
            if (!succeeds) {
                throw new StoreException(StoreException.Kind.UNREACHABLE, "Redis is still down.", null);
            }
        });
        Party<Boolean> probe = Party.running(() -> {
            probed.lock();
            probed.unlock();
        });
        probing.await();
        return probe;
    }

    @Test
    void whileOneTries_aCallThatMayNotWaitFailsAtOnce() throws Exception {
        giveUp();
        Party<Boolean> probe = probe(lock, true);
        assertThatExceptionOfType(RedisLockUnavailableException.class)
                .isThrownBy(() -> engine.get("other").tryLock())
                .withMessageContaining("'other'")
                .withMessageContaining("Redis is down.")
                .withMessageContaining("for 10 s");
        goOn.countDown();
        assertThat(probe.result()).isTrue();
        assertThat(engine.get("other").tryLock()).isTrue();
    }

    @Test
    void whileOneTries_othersWaitAMomentAndFailWithoutATry() throws Exception {
        giveUp();
        Party<Boolean> probe = probe(lock, true);
        Party<Boolean> other = Party.running(engine.get("other")::lock);
        Party<Boolean> same = Party.running(lock::lock);
        other.awaitQueued();
        same.awaitQueued();
        assertThat(other.isDone()).isFalse();
        time.jump(Duration.ofMillis(300));
        assertThatExceptionOfType(RedisLockUnavailableException.class).isThrownBy(other::result);
        assertThatExceptionOfType(RedisLockUnavailableException.class).isThrownBy(same::result);
        goOn.countDown();
        assertThat(probe.result()).isTrue();
        assertThat(store.count(ACQUIRE)).isOne();
        assertThat(engine.namesInMemory()).isZero();
    }

    @Test
    void whenTheProbeFails_thoseWhoWaitedForItFailWithoutATry() throws Exception {
        giveUp();
        Party<Boolean> probe = probe(lock, false);
        Party<Boolean> other = Party.running(engine.get("other")::lock).awaitQueued();
        Party<Boolean> same = Party.running(lock::lock).awaitQueued();
        time.jump(Duration.ofMillis(1));
        goOn.countDown();
        assertThatExceptionOfType(RedisLockUnavailableException.class).isThrownBy(probe::result);
        assertThatExceptionOfType(RedisLockUnavailableException.class).isThrownBy(other::result);
        assertThatExceptionOfType(RedisLockUnavailableException.class)
                .isThrownBy(same::result)
                .withMessageContaining("still down");
        assertThat(store.count(ACQUIRE)).isZero();
    }

    @Test
    void whenTheProbeSucceeds_thoseWhoWaitedForItGoOn() throws Exception {
        giveUp();
        Party<Boolean> probe = probe(lock, true);
        Party<Boolean> other = Party.running(engine.get("other")::lock).awaitQueued();
        Party<Boolean> same = Party.running(lock::lock).awaitQueued();
        goOn.countDown();
        assertThat(probe.result()).isTrue();
        assertThat(other.result()).isTrue();
        assertThat(same.result()).isTrue();
    }

    @Test
    void probeThatFails_letsTheNextCallerTry() {
        giveUp();
        store.unreachable(ACQUIRE, 1);
        assertThatExceptionOfType(RedisLockUnavailableException.class).isThrownBy(lock::lock);
        time.jump(Duration.ofMillis(1));
        lock.lock();
        assertThat(lock.isHeldByCurrentThread()).isTrue();
    }

    @Test
    void waiterThatWasQueuedForLong_triesWhenItsTurnComes() throws Exception {
        ReentrantRedisLock busy = engine.get("busy");
        busy.lock();
        giveUp();
        Party<Boolean> waiter = Party.running(busy::lock).awaitQueued();
        time.jump(Duration.ofSeconds(5));
        busy.unlock();
        assertThat(waiter.result()).isTrue();
    }

    @Test
    void nobodyHasTriedForLong_isForgotten() throws Exception {
        giveUp();
        time.jump(SETTINGS.unavailableTimeout().plusSeconds(1));
        store.unreachable(ACQUIRE, 3);
        assertThat(lock.tryLock(5, SECONDS)).isTrue();
    }

    @Test
    void nobodyHasTriedForLong_whoComesBesideTheFirstTriesAsWell() throws Exception {
        giveUp();
        time.jump(SETTINGS.unavailableTimeout().plusSeconds(1));
        Party<Boolean> first = probe(lock, true);
        assertThat(engine.get("other").tryLock()).isTrue();
        goOn.countDown();
        assertThat(first.result()).isTrue();
    }

    @Test
    void refusals_areAnswers_othersAreNotKeptFromTrying() {
        for (int second = 0; second < 30; second++) {
            store.before(ACQUIRE, () -> {
                throw new StoreException(StoreException.Kind.REFUSED, "A key of another type.", null);
            });
            assertThatExceptionOfType(RedisLockUnavailableException.class).isThrownBy(lock::lock);
            time.jump(Duration.ofSeconds(1));
        }
        store.unreachable(ACQUIRE, 1);
        engine.get("other").lock();
        assertThat(engine.get("other").isHeldByCurrentThread()).isTrue();
    }

    @Test
    void refusedProbe_endsTheOutage() {
        giveUp();
        store.before(ACQUIRE, () -> {
            throw new StoreException(StoreException.Kind.REFUSED, "A key of another type.", null);
        });
        assertThatExceptionOfType(RedisLockUnavailableException.class).isThrownBy(lock::lock);
        store.unreachable(ACQUIRE, 1);
        engine.get("other").lock();
        assertThat(engine.get("other").isHeldByCurrentThread()).isTrue();
    }

    @Test
    void tryLock_redisTakesAllTheTimeToTellItsTime_isNotMadeToWaitTwice() {
        store.after(TIME, () -> time.jump(Duration.ofSeconds(1)));
        store.after(TIME, () -> time.jump(Duration.ofSeconds(1)));
        assertThatExceptionOfType(RedisLockUnavailableException.class)
                .isThrownBy(() -> lock.tryLock(500, MILLISECONDS))
                .withMessageContaining("1000 ms to tell its time");
        assertThat(store.count(ACQUIRE)).isZero();
        assertThat(engine.namesInMemory()).isZero();
    }

    @Test
    void oneNameFailsWhileOthersAreAnswered_nothingIsGivenUp() throws Exception {
        ReentrantRedisLock failing = engine.get("failing");
        store.unreachable(ACQUIRE, 1).before(ACQUIRE, () -> {
            time.jump(SETTINGS.unavailableTimeout());
            engine.get("third").lock(); // is answered
            throw new StoreException(StoreException.Kind.UNKNOWN, "No answer.", null);
        });
        assertThat(failing.tryLock(1, MINUTES)).isTrue();
    }

    @Test
    void probeHangsForLongerThanTheUnavailableTimeout_stillNobodyElseTries() throws Exception {
        LockSettings hasty = new LockSettings(
                "hasty",
                LEASE,
                Duration.ofSeconds(1),
                Duration.ofSeconds(1),
                Duration.ofSeconds(6),
                Duration.ofSeconds(1),
                Duration.ZERO,
                Duration.ZERO,
                Duration.ZERO);
        try (LockEngine engine = engine(hasty, () -> scheduler)) {
            store.unreachable(ACQUIRE, 1).before(ACQUIRE, () -> {
                time.jump(Duration.ofSeconds(1));
                throw new StoreException(StoreException.Kind.UNREACHABLE, "Redis is down.", null);
            });
            assertThatExceptionOfType(RedisLockUnavailableException.class)
                    .isThrownBy(() -> engine.get("order").lock());
            time.jump(Duration.ofMillis(1));
            Party<Boolean> probe = probe(engine.get("order"), true);
            time.jump(Duration.ofSeconds(6));
            assertThatExceptionOfType(RedisLockUnavailableException.class)
                    .isThrownBy(() -> engine.get("other").tryLock());
            goOn.countDown();
            assertThat(probe.result()).isTrue();
        }
    }

    @Test
    void timeIsUpBehindAHeadThatGetsNoAnswer_isNotToldBusy() throws Exception {
        store.unreachable(ACQUIRE, 1);
        Party<Boolean> head = probe(lock, true);
        Party<Boolean> follower = Party.of(() -> lock.tryLock(50, MILLISECONDS)).awaitQueued();
        time.jump(Duration.ofMillis(100));
        follower.wake();
        assertThatExceptionOfType(RedisLockUnavailableException.class)
                .isThrownBy(follower::result)
                .withMessageContaining("Redis is down.");
        goOn.countDown();
        assertThat(head.result()).isTrue();
    }

    @Test
    void tryLockBehindAProbeOfTheSameName_isNotToldBusy() throws Exception {
        giveUp();
        Party<Boolean> probe = probe(lock, true);
        assertThatExceptionOfType(RedisLockUnavailableException.class).isThrownBy(lock::tryLock);
        goOn.countDown();
        assertThat(probe.result()).isTrue();
    }

    @Test
    void tryLock_heldHereWhileRedisFailsOthers_isBusy() throws Exception {
        lock.lock();
        store.unreachable(ACQUIRE, 2);
        assertThatExceptionOfType(RedisLockUnavailableException.class)
                .isThrownBy(() -> engine.get("other").tryLock());
        assertThat(Party.of(lock::tryLock).result()).isFalse();
        lock.unlock();
    }

    @Test
    void tryLock_redisIsSlowToTellItsTime_triesAllTheSame() {
        store.after(TIME, () -> time.jump(Duration.ofMillis(500))); // TLS, another continent, a JVM that is cold
        assertThat(lock.tryLock()).isTrue();
    }
}
