package org.redislocked.core;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.redislocked.core.FaultyStore.Operation.ACQUIRE;
import static org.redislocked.core.FaultyStore.Operation.COUNT;
import static org.redislocked.core.FaultyStore.Operation.RELEASE;
import static org.redislocked.core.FaultyStore.Operation.RENEW;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.redislocked.Hold;
import org.redislocked.RedisLockLostException;
import org.redislocked.RedisLockUnavailableException;

/** The deadline, and what follows when it passes. */
class LossTest extends EngineTest {

    @Test
    void deadlinePassed_holdIsLostForGood() {
        lock.lock();
        Hold hold = engine.current().orElseThrow();
        time.jump(LEASE);
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThat(lock.getHoldCount()).isZero();
        assertThat(hold.remainingLease()).isZero();
        assertThat(engine.current()).isEmpty();
        assertThatExceptionOfType(RedisLockLostException.class).isThrownBy(lock::fencingToken);
        assertThatExceptionOfType(RedisLockLostException.class)
                .isThrownBy(lock::unlock)
                .withMessageContaining("'order'")
                .withMessageContaining(String.valueOf(hold.fencingToken()))
                .satisfies(e -> assertThat(e.lockName()).isEqualTo("order"));
        assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(lock::unlock)
                .isNotInstanceOf(RedisLockLostException.class);
        assertThat(engine.namesInMemory()).isZero();
    }

    @Test
    void lost_nested_eachUnlockCountsDownAndThrows() {
        lock.lock();
        lock.lock();
        time.jump(LEASE);
        assertThatExceptionOfType(RedisLockLostException.class).isThrownBy(lock::unlock);
        assertThatExceptionOfType(RedisLockLostException.class).isThrownBy(lock::unlock);
        assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(lock::unlock)
                .isNotInstanceOf(RedisLockLostException.class);
        lock.lock();
        assertThat(lock.getHoldCount()).isOne();
    }

    @Test
    void lost_reentry_isRefusedAndChangesNothing() {
        lock.lock();
        time.jump(LEASE);
        assertThatExceptionOfType(RedisLockLostException.class).isThrownBy(lock::lock);
        assertThatExceptionOfType(RedisLockLostException.class).isThrownBy(lock::tryLock);
        assertThatExceptionOfType(RedisLockLostException.class).isThrownBy(lock::unlock);
        assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(lock::unlock)
                .isNotInstanceOf(RedisLockLostException.class);
    }

    @Test
    void lost_whileOthersWaitHere_theNextGoesOnAtOnce() throws Exception {
        lock.lock();
        Party<Boolean> waiter = Party.running(lock::lock).awaitQueued();
        time.jump(LEASE);
        LockSupport.unpark(waiter.thread());
        assertThat(waiter.result()).isTrue();
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThatExceptionOfType(RedisLockLostException.class).isThrownBy(lock::unlock);
        assertThat(lock.isLocked()).isTrue();
    }

    @Test
    void renewal_answeredAfterTheDeadline_doesNotReviveTheHold() {
        lock.lock();
        // Executed in time, but the answer comes too late to prove anything.
        store.after(RENEW, () -> time.jump(LEASE));
        time.advance(Duration.ofSeconds(12));
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThatExceptionOfType(RedisLockLostException.class).isThrownBy(lock::unlock);
    }

    @Test
    void renewal_success_countsFromBeforeItWasSent() {
        lock.lock();
        store.after(RENEW, () -> time.jump(Duration.ofMillis(200)));
        time.advance(Duration.ofSeconds(12));
        assertThat(store.count(RENEW)).isOne();
        Duration sinceSent = Duration.ofMillis(29_690).minus(lock.remainingLease());
        assertThat(sinceSent).isBetween(Duration.ofMillis(200), Duration.ofSeconds(4));
        time.advance(LEASE.multipliedBy(10));
        assertThat(lock.isHeldByCurrentThread()).isTrue();
    }

    @Test
    void renewal_notOurs_losesTheHold() {
        lock.lock();
        memory.release("order", lock.holder().orElseThrow().grantId());
        takenByOther(LEASE);
        time.advance(Duration.ofSeconds(12));
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThatExceptionOfType(RedisLockLostException.class)
                .isThrownBy(lock::unlock)
                .withMessageContaining("no longer knew it");
        assertThat(lock.holder().orElseThrow().grantId()).isEqualTo("other:1:1");
    }

    @Test
    void renewal_answerOfAReleasedHold_isIgnored() throws Exception {
        lock.lock();
        // While the renewal is on its way, the owner leaves: the renewal finds nothing, and that is no loss.
        store.before(RENEW, lock::unlock);
        time.advance(Duration.ofSeconds(12));
        assertThat(lock.isLocked()).isFalse();
        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
    }

    @Test
    void renewal_explicitLease_isNotRenewedAndEnds() throws Exception {
        lock.lock(20, SECONDS);
        time.advance(Duration.ofSeconds(19));
        assertThat(store.count(RENEW)).isZero();
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        time.advance(Duration.ofSeconds(1));
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThatExceptionOfType(RedisLockLostException.class).isThrownBy(lock::unlock);
    }

    @Test
    void renewal_renewedEntryInsideExplicitLease_lastsForThatEntry() {
        lock.lock(20, SECONDS);
        lock.lock();
        time.advance(Duration.ofMinutes(5));
        assertThat(lock.getHoldCount()).isEqualTo(2);
        lock.unlock();
        long renewals = store.count(RENEW);
        time.advance(Duration.ofSeconds(60));
        assertThat(store.count(RENEW)).isEqualTo(renewals);
        assertThat(lock.isHeldByCurrentThread()).isFalse();
    }

    @Test
    void reentry_withLongerExplicitLease_extendsAndNeverShortens() {
        lock.lock(20, SECONDS);
        lock.lock(60, SECONDS);
        assertThat(lock.remainingLease()).isGreaterThan(Duration.ofSeconds(59));
        lock.lock(1, SECONDS);
        assertThat(lock.remainingLease()).isGreaterThan(Duration.ofSeconds(59));
        assertThat(lock.holder().orElseThrow().remainingLease()).isEqualTo(Duration.ofSeconds(60));
    }

    @Test
    void reentry_countNotWritten_isHeldAllTheSame() {
        lock.lock();
        store.unreachable(COUNT, 2);
        lock.lock();
        assertThat(lock.getHoldCount()).isEqualTo(2);
        lock.unlock();
        lock.unlock();
        assertThat(lock.isLocked()).isFalse();
    }

    @Test
    void reentry_longerExplicitLeaseNotWritten_isRefused() {
        lock.lock(20, SECONDS);
        store.unreachable(COUNT, 1);
        assertThatExceptionOfType(RedisLockUnavailableException.class)
                .isThrownBy(() -> lock.lock(60, SECONDS))
                .withMessageContaining("Redis is down");
        assertThat(lock.getHoldCount()).isOne();
        lock.unlock();
        assertThat(lock.isLocked()).isFalse();
    }

    @Test
    void release_notOursBeforeTheDeadline_isTold() {
        lock.lock();
        memory.release("order", lock.holder().orElseThrow().grantId());
        assertThatExceptionOfType(RedisLockLostException.class).isThrownBy(lock::unlock);
        assertThat(engine.namesInMemory()).isZero();
    }

    @Test
    void acquire_answeredAfterTheDeadline_isReleasedAndTriedAgain() throws Exception {
        store.after(ACQUIRE, () -> time.jump(LEASE));
        lock.lock();
        assertThat(store.grantIds(ACQUIRE)).hasSize(2).doesNotHaveDuplicates();
        assertThat(lock.remainingLease()).isGreaterThan(Duration.ofSeconds(29));
        time.runDue();
        assertThat(store.grantIds(RELEASE))
                .containsExactly(store.grantIds(ACQUIRE).get(0));
        assertThat(lock.isLocked()).isTrue();
    }

    @Test
    void ownerDead_holdIsReleased() throws Exception {
        Party<Boolean> owner = Party.running(lock::lock);
        owner.result();
        owner.awaitEnd();
        time.advance(Duration.ofSeconds(12));
        assertThat(lock.isLocked()).isFalse();
        assertThat(engine.namesInMemory()).isZero();
        assertThat(engine.threadsInMemory()).isZero();
    }

    @Test
    void acquire_alwaysAnsweredAfterTheDeadline_isTriedAgainWithPauses() throws Exception {
        for (int i = 0; i < 4; i++) {
            store.after(ACQUIRE, () -> time.jump(Duration.ofMillis(200)));
        }
        Party<Boolean> slow = Party.running(() -> lock.lock(100, MILLISECONDS)).awaitQueued();
        assertThat(slow.result()).isTrue();
    }
}
