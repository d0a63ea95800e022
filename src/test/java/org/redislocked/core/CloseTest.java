package org.redislocked.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.redislocked.core.FaultyStore.Operation.ACQUIRE;
import static org.redislocked.core.FaultyStore.Operation.RELEASE;
import static org.redislocked.core.FaultyStore.Operation.SUBSCRIBE;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.redislocked.RedisLockLostException;
import org.redislocked.ReentrantRedisLock;

class CloseTest extends EngineTest {

    @Test
    void close_newAcquisition_isRefused() {
        engine.close();
        assertThatIllegalStateException().isThrownBy(lock::lock).withMessageContaining("'order'");
        assertThat(store.executed).isEmpty();
    }

    @Test
    void close_waiters_areSentAway() throws Exception {
        takenByOther(LEASE);
        Party<Boolean> head = Party.running(lock::lock);
        Party.await(() -> store.count(SUBSCRIBE) == 1);
        head.awaitQueued();
        Party<Boolean> second = Party.running(lock::lock).awaitQueued();
        engine.close();
        assertThatIllegalStateException().isThrownBy(head::result);
        assertThatIllegalStateException().isThrownBy(second::result);
        assertThat(engine.namesInMemory()).isZero();
        assertThat(store.subscriptions).hasValue(0);
    }

    @Test
    void close_ownerStillWorking_isWaitedForAndMayReenter() throws Exception {
        LockSettings patient = new LockSettings(
                "test",
                LEASE,
                SETTINGS.pollInterval(),
                Duration.ofSeconds(1),
                SETTINGS.operationTimeout(),
                SETTINGS.unavailableTimeout(),
                Duration.ofMinutes(1),
                Duration.ZERO,
                Duration.ZERO);
        LockEngine waiting = engine(patient, () -> scheduler);
        ReentrantRedisLock held = waiting.get("order");
        held.lock();
        Party<Boolean> closing = Party.running(waiting::close);
        Party.await(() -> closing.thread().getState() == Thread.State.TIMED_WAITING);
        held.lock();
        held.unlock();
        time.advance(LEASE.multipliedBy(3)); // it is renewed meanwhile
        assertThat(closing.isDone()).isFalse();
        held.unlock();
        assertThat(closing.result()).isTrue();
        assertThat(lock.isLocked()).isFalse();
    }

    @Test
    void close_ownerTakesTooLong_holdIsLostButNotReleased() {
        LockSettings impatient = new LockSettings(
                "test",
                LEASE,
                SETTINGS.pollInterval(),
                Duration.ofSeconds(1),
                SETTINGS.operationTimeout(),
                SETTINGS.unavailableTimeout(),
                Duration.ZERO,
                Duration.ZERO,
                Duration.ZERO);
        LockEngine other = engine(impatient, () -> scheduler);
        other.get("order").lock();
        other.close();
        time.advance(Duration.ofSeconds(1));
        assertThat(lock.isLocked()).isTrue();
        assertThat(other.get("order").isHeldByCurrentThread()).isFalse();
        assertThatExceptionOfType(RedisLockLostException.class)
                .isThrownBy(() -> other.get("order").unlock())
                .withMessageContaining("closed");
        assertThat(store.count(RELEASE)).isZero();
        time.advance(LEASE);
        assertThat(lock.isLocked()).isFalse();
    }

    @Test
    void close_duringAnAcquisition_givesItBack() throws Exception {
        CountDownLatch executed = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        store.after(ACQUIRE, () -> {
            executed.countDown();
            Party.await(() -> closed.getCount() == 0);
        });
        Party<Boolean> acquiring = Party.running(lock::lock);
        executed.await();
        engine.close();
        closed.countDown();
        assertThatIllegalStateException().isThrownBy(acquiring::result);
        assertThat(lock.isLocked()).isFalse();
        assertThat(engine.namesInMemory()).isZero();
    }

    @Test
    void close_twice_isHarmless() {
        engine.close();
        engine.close();
    }

    @Test
    void releaseIsRefused_theOthersAreTriedAllTheSame() {
        engine.get("one").lock();
        engine.get("two").lock();
        store.unreachable(RELEASE, 2);
        engine.get("one").unlock();
        engine.get("two").unlock();
        store.before(RELEASE, () -> {
            throw new StoreException(StoreException.Kind.REFUSED, "A key of another type.", null);
        });
        engine.close();
        assertThat(store.count(RELEASE)).isOne();
    }

    @Test
    void releaseFailsUnexpectedly_isClosedToTheEnd() {
        LockEngine closing = engine(SETTINGS, () -> scheduler);
        closing.get("one").lock();
        store.unreachable(RELEASE, 1);
        closing.get("one").unlock();
        closing.get("held").lock();
        store.before(RELEASE, () -> {
            throw new IllegalStateException("a bug");
        });
        closing.close();
        assertThat(closing.namesInMemory()).isZero();
    }
}
