package org.redislocked.core;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.redislocked.core.FaultyStore.Operation.ACQUIRE;
import static org.redislocked.core.FaultyStore.Operation.RELEASE;
import static org.redislocked.core.FaultyStore.Operation.RENEW;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.redislocked.LockHolder;
import org.redislocked.RedisLockUnavailableException;

/** What was sent and not answered. */
class UnknownOutcomeTest extends EngineTest {

    @Test
    void acquire_executedButNotAnswered_isFoundAgainUnderTheSameId() throws Exception {
        store.answerLost(ACQUIRE);
        lock.lock();
        assertThat(store.grantIds(ACQUIRE)).hasSize(2);
        assertThat(store.grantIds(ACQUIRE).get(0))
                .isEqualTo(store.grantIds(ACQUIRE).get(1));
        assertThat(lock.holder().map(LockHolder::holdCount)).contains(1L);
        lock.unlock();
        assertThat(lock.isLocked()).isFalse();
    }

    @Test
    void acquire_executedButNotAnswered_leaseCountsFromTheFirstTry() throws Exception {
        store.answerLost(ACQUIRE);
        store.before(ACQUIRE, () -> {}).before(ACQUIRE, () -> time.jump(Duration.ofSeconds(1)));
        lock.lock();
        assertThat(lock.remainingLease()).isLessThan(Duration.ofMillis(28_700));
    }

    @Test
    void acquire_interruptedInDoubt_orphanIsReleasedTwice() throws Exception {
        store.after(ACQUIRE, () -> {
            Thread.currentThread().interrupt();
            throw new StoreException(StoreException.Kind.UNKNOWN, "Closed by interrupt.", null);
        });
        Party<Boolean> waiter = Party.running(lock::lockInterruptibly);
        assertThatExceptionOfType(InterruptedException.class).isThrownBy(waiter::result);
        assertThat(lock.isLocked()).isTrue();
        time.runDue();
        assertThat(lock.isLocked()).isFalse();
        assertThat(engine.namesInMemory()).isZero();
        // The same command, executed late: the second release, after the time when it is refused, removes it.
        String orphan = store.grantIds(ACQUIRE).get(0);
        memory.acquire("order", orphan, LEASE, 0, Long.MAX_VALUE);
        time.advance(Duration.ofMillis(2_100));
        assertThat(lock.isLocked()).isFalse();
        assertThat(store.grantIds(RELEASE)).containsExactly(orphan, orphan);
        assertThat(store.count(RENEW)).isZero();
    }

    @Test
    void acquire_inDoubtWhenTheHeadLeaves_isInheritedByTheNext() throws Exception {
        takenByOther(LEASE);
        Party<Boolean> head = Party.running(lock::lockInterruptibly);
        Party.await(() -> store.count(FaultyStore.Operation.SUBSCRIBE) == 1);
        head.awaitQueued();
        Party<Boolean> next = Party.running(lock::lock).awaitQueued();
        // The head's next try is executed and not answered, and then it is interrupted.
        store.after(ACQUIRE, () -> {
            Thread.currentThread().interrupt();
            throw new StoreException(StoreException.Kind.UNKNOWN, "Closed by interrupt.", null);
        });
        releasedByOther();
        assertThatExceptionOfType(InterruptedException.class).isThrownBy(head::result);
        assertThat(next.result()).isTrue();
        assertThat(store.grantIds(ACQUIRE)).containsOnly(store.grantIds(ACQUIRE).get(0));
        assertThat(store.count(RELEASE)).isZero();
    }

    @Test
    void acquire_lateTryAfterRelease_isCleanedUp() throws Exception {
        store.answerLost(ACQUIRE);
        lock.lock();
        String grant = store.grantIds(ACQUIRE).get(0);
        lock.unlock();
        // The first try, delayed in the network, is executed only now: nobody knows of this grant.
        memory.acquire("order", grant, LEASE, 0, Long.MAX_VALUE);
        assertThat(lock.isLocked()).isTrue();
        time.advance(Duration.ofSeconds(3));
        assertThat(lock.isLocked()).isFalse();
    }

    @Test
    void release_unreachable_isRepeatedInTheBackgroundAndNotReported() {
        lock.lock();
        store.unreachable(RELEASE, 4);
        lock.unlock();
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThat(lock.isLocked()).isTrue();
        time.advance(Duration.ofSeconds(2));
        assertThat(lock.isLocked()).isFalse();
    }

    @Test
    void release_unreachableForLong_endsWhenNothingOfOursCanKeepTheKey() {
        lock.lock();
        store.unreachable(RELEASE, 1_000);
        lock.unlock();
        time.advance(LEASE.plusSeconds(10));
        int left = store.instructionsLeft(RELEASE);
        assertThat(left).isBetween(900, 995);
        time.advance(LEASE.multipliedBy(10));
        assertThat(store.instructionsLeft(RELEASE)).isEqualTo(left);
    }

    @Test
    void release_executedButNotAnswered_isNoLoss() {
        lock.lock();
        store.answerLost(RELEASE);
        lock.unlock();
        assertThat(lock.isLocked()).isFalse();
        time.advance(Duration.ofSeconds(1));
        assertThat(store.count(RELEASE)).isEqualTo(2);
    }

    @Test
    void tryLock_storeFailsAtOnce_isTriedOnceMore() {
        store.unreachable(ACQUIRE, 1);
        assertThat(lock.tryLock()).isTrue();
    }

    @Test
    void tryLock_storeDown_saysSo() {
        store.unreachable(ACQUIRE, 2);
        assertThatExceptionOfType(RedisLockUnavailableException.class)
                .isThrownBy(lock::tryLock)
                .withMessageContaining("'order'")
                .withMessageContaining("Redis is down.");
        assertThat(engine.namesInMemory()).isZero();
    }

    @Test
    void lock_storeDownForLongerThanTheTimeout_saysSo() {
        store.before(ACQUIRE, () -> {
            throw new StoreException(StoreException.Kind.UNREACHABLE, "Redis is down.", null);
        });
        store.before(ACQUIRE, () -> {
            time.jump(SETTINGS.unavailableTimeout());
            throw new StoreException(StoreException.Kind.UNREACHABLE, "Redis is still down.", null);
        });
        assertThatExceptionOfType(RedisLockUnavailableException.class)
                .isThrownBy(lock::lock)
                .withMessageContaining("still down");
    }

    @Test
    void lock_storeBackBeforeTheTimeout_isGranted() throws Exception {
        store.unreachable(ACQUIRE, 3);
        assertThat(lock.tryLock(5, SECONDS)).isTrue();
    }

    @Test
    void lock_refused_saysSoAtOnce() {
        store.before(ACQUIRE, () -> {
            throw new StoreException(StoreException.Kind.REFUSED, "No permission.", null);
        });
        assertThatExceptionOfType(RedisLockUnavailableException.class)
                .isThrownBy(lock::lock)
                .withMessageContaining("No permission.");
    }
}
