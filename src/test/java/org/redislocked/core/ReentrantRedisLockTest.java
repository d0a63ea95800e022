package org.redislocked.core;

import static java.util.concurrent.TimeUnit.DAYS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.redislocked.core.FaultyStore.Operation.ACQUIRE;
import static org.redislocked.core.FaultyStore.Operation.RELEASE;
import static org.redislocked.core.FaultyStore.Operation.SUBSCRIBE;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.redislocked.Hold;
import org.redislocked.LockHolder;
import org.redislocked.ReentrantRedisLock;

class ReentrantRedisLockTest extends EngineTest {

    @Test
    void lock_free_isHeldUntilUnlocked() {
        assertThat(lock.isLocked()).isFalse();
        lock.lock();
        assertThat(lock.isLocked()).isTrue();
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        assertThat(lock.getHoldCount()).isOne();
        assertThat(lock.holder().orElseThrow().grantId()).startsWith("test-");
        lock.unlock();
        assertThat(lock.isLocked()).isFalse();
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThat(store.executed)
                .map(line -> line.substring(0, line.indexOf(' ')))
                .containsExactly("TIME", "ACQUIRE", "RELEASE");
    }

    @Test
    void lock_again_countsHereAndInTheStore() {
        lock.lock();
        lock.lock();
        assertThat(lock.tryLock()).isTrue();
        assertThat(lock.getHoldCount()).isEqualTo(3);
        assertThat(lock.holder().map(LockHolder::holdCount)).contains(3L);
        lock.unlock();
        assertThat(lock.holder().map(LockHolder::holdCount)).contains(2L);
        lock.unlock();
        lock.unlock();
        assertThat(lock.isLocked()).isFalse();
        assertThat(store.count(ACQUIRE)).isOne();
        assertThat(store.count(RELEASE)).isOne();
    }

    @Test
    void unlock_byWhoDoesNotHoldIt_isRefused() throws Exception {
        assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(lock::unlock)
                .withMessageContaining("'order'")
                .withMessageContaining(Thread.currentThread().getName());
        lock.lock();
        Party<Boolean> other = Party.running(lock::unlock);
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(other::result);
        assertThat(lock.isHeldByCurrentThread()).isTrue();
    }

    @Test
    void handles_ofOneName_areEqualAndOneLock() {
        ReentrantRedisLock same = engine.get("order");
        assertThat(same).isEqualTo(lock).hasSameHashCodeAs(lock).isNotEqualTo(engine.get("other"));
        lock.lock();
        assertThat(same.isHeldByCurrentThread()).isTrue();
        same.unlock();
        assertThat(lock.isHeldByCurrentThread()).isFalse();
    }

    @Test
    void get_emptyOrReservedName_isRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> engine.get("")).withMessageContaining("empty");
        assertThatIllegalArgumentException().isThrownBy(() -> engine.get("~x")).withMessageContaining("~x");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> engine.get("x".repeat(257)))
                .withMessageContaining("257");
        assertThat(engine.get("x".repeat(256))).isNotNull();
    }

    @Test
    void newCondition_always_isUnsupported() {
        assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(lock::newCondition);
    }

    @Test
    void lock_badLease_isRefusedBeforeAnythingHappens() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> lock.lock(99, MILLISECONDS))
                .withMessageContaining("PT0.1S");
        assertThatIllegalArgumentException().isThrownBy(() -> lock.lock(Long.MAX_VALUE, DAYS));
        assertThat(store.executed).isEmpty();
    }

    @Test
    void tryLock_heldByOther_returnsFalseAtOnce() throws Exception {
        takenByOther(LEASE);
        assertThat(lock.tryLock()).isFalse();
        assertThat(lock.tryLock(0, SECONDS)).isFalse();
        assertThat(lock.tryLock(-1, SECONDS)).isFalse();
        assertThat(store.count(SUBSCRIBE)).isZero();
        assertThat(lock.isHeldByCurrentThread()).isFalse();
    }

    @Test
    void tryLock_heldByAnotherThreadHere_doesNotAskTheStore() throws Exception {
        Party.running(lock::lock).result();
        assertThat(lock.tryLock()).isFalse();
        assertThat(store.count(ACQUIRE)).isOne();
    }

    @Test
    void tryLock_timeUp_leavesNoTrace() throws Exception {
        takenByOther(LEASE);
        Party<Boolean> waiter = Party.of(() -> lock.tryLock(3, SECONDS)).awaitQueued();
        time.jump(Duration.ofSeconds(3));
        assertThat(waiter.result()).isFalse();
        releasedByOther();
        assertThat(lock.tryLock()).isTrue();
        assertThat(engine.namesInMemory()).isOne();
        lock.unlock();
        assertThat(engine.namesInMemory()).isZero();
    }

    @Test
    void lock_heldByOther_isGrantedOnSignal() throws Exception {
        takenByOther(LEASE);
        Party<Boolean> waiter = Party.running(lock::lock);
        Party.await(() -> store.count(SUBSCRIBE) == 1);
        waiter.awaitQueued();
        releasedByOther();
        assertThat(waiter.result()).isTrue();
    }

    @Test
    void lock_severalWaitersHere_areServedInOrderAndOneContends() throws Exception {
        takenByOther(LEASE);
        List<Integer> order = Collections.synchronizedList(new ArrayList<>());
        List<Party<Boolean>> waiters = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            int number = i;
            waiters.add(Party.running(() -> {
                        lock.lock();
                        order.add(number);
                        lock.unlock();
                    })
                    .awaitQueued());
        }
        assertThat(store.count(SUBSCRIBE)).isOne();
        releasedByOther();
        for (Party<Boolean> waiter : waiters) {
            waiter.result();
        }
        assertThat(order).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
        assertThat(engine.namesInMemory()).isZero();
    }

    @Test
    void lock_heldHere_nobodyPollsOrSubscribes() throws Exception {
        lock.lock();
        Party<Boolean> waiter = Party.running(lock::lock).awaitQueued();
        assertThat(store.count(ACQUIRE)).isOne();
        assertThat(store.count(SUBSCRIBE)).isZero();
        lock.unlock();
        assertThat(waiter.result()).isTrue();
        assertThat(store.count(ACQUIRE)).isEqualTo(2);
    }

    @Test
    void lockInterruptibly_interruptedWhileQueued_leavesAndTheNextGoesOn() throws Exception {
        lock.lock();
        Party<Boolean> first = Party.running(lock::lockInterruptibly).awaitQueued();
        Party<Boolean> second = Party.running(lock::lock).awaitQueued();
        first.thread().interrupt();
        assertThatExceptionOfType(InterruptedException.class).isThrownBy(first::result);
        lock.unlock();
        assertThat(second.result()).isTrue();
    }

    @Test
    void lockInterruptibly_interruptedWhileContending_leavesNoTrace() throws Exception {
        takenByOther(LEASE);
        Party<Boolean> waiter = Party.running(lock::lockInterruptibly);
        Party.await(() -> store.count(SUBSCRIBE) == 1);
        waiter.awaitQueued().thread().interrupt();
        assertThatExceptionOfType(InterruptedException.class).isThrownBy(waiter::result);
        assertThat(engine.namesInMemory()).isZero();
        assertThat(store.subscriptions).hasValue(0);
    }

    @Test
    void lockInterruptibly_interruptedBefore_throwsAndClearsTheStatus() {
        Thread.currentThread().interrupt();
        assertThatExceptionOfType(InterruptedException.class).isThrownBy(lock::lockInterruptibly);
        assertThat(Thread.interrupted()).isFalse();
        assertThat(store.executed).isEmpty();
    }

    @Test
    void lockInterruptibly_grantedBeforeTheInterruptWasSeen_returnsWithTheStatusSet() throws Exception {
        store.after(ACQUIRE, () -> Thread.currentThread().interrupt());
        lock.lockInterruptibly();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(lock.isHeldByCurrentThread()).isTrue();
    }

    @Test
    void lock_interruptedWhileWaiting_goesOnAndKeepsTheStatus() throws Exception {
        lock.lock();
        Party<Boolean> waiter = Party.of(() -> {
                    lock.lock();
                    return Thread.currentThread().isInterrupted();
                })
                .awaitQueued();
        waiter.thread().interrupt();
        waiter.awaitQueued();
        lock.unlock();
        assertThat(waiter.result()).isTrue();
    }

    @Test
    void signal_betweenTryAndSleep_isNotLost() throws Exception {
        takenByOther(LEASE);
        // The lock becomes free after the subscription is active and before the waiter sleeps: only what the waiter
        // remembers can wake it, since its clock stands still.
        store.after(SUBSCRIBE, this::releasedByOther);
        assertThat(Party.running(lock::lock).result()).isTrue();
    }

    @Test
    void hold_current_isTheInnermostOfThisThread() throws Exception {
        assertThat(engine.current()).isEmpty();
        lock.lock();
        Hold outer = engine.current().orElseThrow();
        assertThat(outer.lockName()).isEqualTo("order");
        assertThat(outer.fencingToken()).isPositive().isEqualTo(lock.fencingToken());
        ReentrantRedisLock other = engine.get("other");
        other.lock();
        assertThat(engine.current().map(Hold::lockName)).contains("other");
        assertThat(Party.of(() -> engine.current().isPresent()).result()).isFalse();
        lock.unlock();
        assertThat(engine.current().map(Hold::lockName)).contains("other");
        other.unlock();
        assertThat(engine.current()).isEmpty();
    }

    @Test
    void fencingToken_ofEachHold_isGreaterThanOfThoseBefore() {
        long last = 0;
        for (int i = 0; i < 100; i++) {
            lock.lock();
            assertThat(lock.fencingToken()).isGreaterThan(last);
            last = lock.fencingToken();
            lock.unlock();
        }
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::fencingToken);
    }

    @Test
    void remainingLease_isBelowTheLeaseByDriftAndGuard() {
        lock.lock();
        assertThat(lock.remainingLease()).isEqualTo(Duration.ofMillis(29_690));
        time.jump(Duration.ofSeconds(10));
        assertThat(lock.remainingLease()).isEqualTo(Duration.ofMillis(19_690));
        lock.unlock();
        assertThat(lock.remainingLease()).isZero();
    }

    @Test
    void lock_manyThreads_excludeEachOther() throws Exception {
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger total = new AtomicInteger();
        CountDownLatch start = new CountDownLatch(1);
        List<Party<Boolean>> threads = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            threads.add(Party.running(() -> {
                start.await();
                for (int turn = 0; turn < 200; turn++) {
                    lock.lock();
                    try {
                        assertThat(inside.incrementAndGet()).isOne();
                        total.incrementAndGet();
                        inside.decrementAndGet();
                    } finally {
                        lock.unlock();
                    }
                }
            }));
        }
        start.countDown();
        for (Party<Boolean> thread : threads) {
            thread.result();
        }
        assertThat(total).hasValue(3_200);
        assertThat(engine.namesInMemory()).isZero();
    }

    @Test
    void unlock_ofManyLocksInTheOrderTheyWereTaken_leavesNone() {
        int many = 10_000;
        for (int i = 0; i < many; i++) {
            engine.get("lock" + i).lock();
        }
        for (int i = 0; i < many; i++) {
            engine.get("lock" + i).unlock();
        }
        assertFree();
    }
}
