package org.redislocked.core;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.redislocked.core.FaultyStore.Operation.ACQUIRE;
import static org.redislocked.core.FaultyStore.Operation.COUNT;
import static org.redislocked.core.FaultyStore.Operation.RELEASE;
import static org.redislocked.core.FaultyStore.Operation.RENEW;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.redislocked.RedisLockLostException;
import org.redislocked.ReentrantRedisLock;
import org.redislocked.core.ManualTransactions.Transaction;

/** Locks that transactions keep. */
class TransactionTest extends EngineTest {

    private final ReentrantRedisLock joining = lock.joiningTransaction();

    private static void call(ReentrantRedisLock entered) {
        entered.lock();
        entered.unlock();
    }

    @Test
    void unlockedInTransaction_isKeptUntilItsEnd() {
        Transaction transaction = transactions.begin();
        joining.lock();
        assertThat(joining.getHoldCount()).isOne();
        joining.unlock();
        assertHeld();
        assertThat(joining.isHeldByCurrentThread()).isFalse();
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(joining::unlock);
        transaction.commit();
        assertFree();
    }

    @Test
    void rolledBack_isReleased() {
        Transaction transaction = transactions.begin();
        call(joining);
        transaction.rollBack();
        assertFree();
    }

    @Test
    void withoutTransaction_isReleasedByUnlock() {
        call(joining);
        assertFree();
    }

    @Test
    void plainLock_isNotKept() {
        Transaction transaction = transactions.begin();
        call(lock);
        assertFree();
        transaction.commit();
    }

    @Test
    void thousandCalls_areToldOnceAndCostNothing() {
        Transaction transaction = transactions.begin();
        for (int i = 0; i < 1_000; i++) {
            call(joining);
            assertThat(lock.holder().orElseThrow().holdCount()).isOne();
        }
        assertThat(transactions.registrations).hasValue(1);
        assertThat(store.count(ACQUIRE)).isOne();
        assertThat(store.count(COUNT)).isZero();
        transaction.commit();
        assertFree();
        assertThat(store.count(RELEASE)).isOne();
    }

    @Test
    void nested_isCountedInRedis() {
        Transaction transaction = transactions.begin();
        call(joining);
        joining.lock();
        joining.lock();
        assertThat(lock.holder().orElseThrow().holdCount()).isEqualTo(2);
        joining.unlock();
        assertThat(lock.holder().orElseThrow().holdCount()).isOne();
        joining.unlock();
        transaction.commit();
        assertFree();
    }

    @Test
    void keptByTransaction_plainLockReenters() {
        Transaction transaction = transactions.begin();
        call(joining);
        assertThat(lock.tryLock()).isTrue();
        assertThat(lock.getHoldCount()).isOne();
        lock.unlock();
        assertHeld();
        transaction.commit();
        assertFree();
    }

    @Test
    void keptByTransaction_otherThreadDoesNotGetIt() throws Exception {
        Transaction transaction = transactions.begin();
        call(joining);
        Party<Boolean> other = Party.of(() -> {
            lock.lock();
            lock.unlock();
            return true;
        });
        other.awaitQueued();
        transaction.commit();
        assertThat(other.result()).isTrue();
        assertFree();
    }

    @Test
    void transactionGoesToAnotherThread_whichReenters() throws Exception {
        Transaction transaction = transactions.begin();
        call(joining);
        transaction.suspend();
        assertThat(lock.tryLock()).isFalse();
        Party.running(() -> {
                    transaction.resume();
                    assertThat(lock.tryLock()).isTrue();
                    assertThat(lock.getHoldCount()).isOne();
                    lock.unlock();
                    transaction.commit();
                })
                .result();
        assertFree();
    }

    @Test
    void twoThreadsInOneTransaction_whoHasACallInItKeepsTheOtherOut() throws Exception {
        Transaction transaction = transactions.begin();
        joining.lock();
        Party.running(() -> {
                    transaction.resume();
                    assertThat(joining.tryLock()).isFalse();
                    transaction.suspend();
                })
                .result();
        transaction.resume();
        joining.unlock();
        transaction.commit();
        assertFree();
    }

    @Test
    void endsWhileCallRuns_callKeepsTheLock() throws Exception {
        Transaction transaction = transactions.begin();
        joining.lock();
        Party.running(transaction::rollBack).result(); // as the platform's reaper does it
        assertHeld();
        assertThat(joining.getHoldCount()).isOne();
        time.advance(LEASE.multipliedBy(2)); // renewed
        joining.unlock();
        assertFree();
    }

    @Test
    void endedByAnotherThread_whichDoesNotWaitForRedis() throws Exception {
        Transaction transaction = transactions.begin();
        call(joining);
        Party.running(transaction::rollBack).result();
        assertThat(store.count(RELEASE)).isZero();
        time.runDue();
        assertFree();
    }

    @Test
    void committedByAnotherThread_isReleasedWhenThatReturns() throws Exception {
        Transaction transaction = transactions.begin();
        call(joining);
        Party.running(transaction::commit).result();
        assertFree();
    }

    @Test
    void begunBetweenLockAndUnlock_isKeptForIt() {
        joining.lock();
        Transaction transaction = transactions.begin();
        joining.unlock();
        assertHeld();
        transaction.commit();
        assertFree();
    }

    @Test
    void committedBetweenLockAndUnlock_isReleasedByUnlock() {
        Transaction transaction = transactions.begin();
        joining.lock();
        transaction.commit();
        assertHeld();
        joining.unlock();
        assertFree();
    }

    @Test
    void twoTransactionsOneAfterTheOther_theLaterKeepsIt() {
        Transaction outer = transactions.begin();
        joining.lock();
        outer.suspend();
        Transaction inner = transactions.begin();
        call(joining);
        inner.suspend();
        outer.resume();
        joining.unlock();
        outer.commit();
        assertHeld();
        inner.commit();
        assertThat(lock.holder())
                .as("released in the background: not by its worker")
                .isEmpty();
    }

    @Test
    void refused_isNotAcquired() {
        transactions.begin().refusing();
        assertThatIllegalStateException()
                .isThrownBy(joining::lock)
                .withMessageContaining("'order'")
                .withMessageContaining("too late");
        assertThat(store.count(ACQUIRE)).isZero();
        assertFree();
    }

    @Test
    void refusedAtUnlock_isReleasedAndRollsBack() {
        joining.lock();
        Transaction transaction = transactions.begin().refusing();
        assertThatIllegalStateException().isThrownBy(joining::unlock).withMessageContaining("too late");
        assertThat(transaction.rollbackOnly).isTrue();
        assertFree();
    }

    @Test
    void markedForRollback_isNotJoined() {
        Transaction transaction = transactions.begin();
        transaction.rollbackOnly = true;
        call(joining);
        assertFree();
        assertThat(transactions.registrations).hasValue(0);
    }

    @Test
    void markedForRollbackSince_isReenteredAndKept() {
        Transaction transaction = transactions.begin();
        call(joining);
        transaction.rollbackOnly = true;
        assertThat(joining.tryLock()).isTrue();
        joining.unlock();
        assertHeld();
        transaction.rollBack();
        assertFree();
    }

    @Test
    void overBeforeGranted_isRefusedAndLeavesNothing() throws Exception {
        takenByOther(LEASE);
        var transaction = new AtomicReference<Transaction>();
        Party<Boolean> late = Party.running(() -> {
            transaction.set(transactions.begin());
            joining.lock();
        });
        late.awaitQueued();
        transaction.get().rollBack();
        releasedByOther();
        assertThatIllegalStateException().isThrownBy(late::result).withMessageContaining("has ended meanwhile");
        assertFree();
    }

    @Test
    void lostBeforeCommit_rollsBack() {
        Transaction transaction = transactions.begin();
        call(joining);
        time.jump(LEASE);
        assertThatExceptionOfType(RedisLockLostException.class).isThrownBy(transaction::commit);
        time.runDue();
        assertThat(losses).hasSize(1);
        assertThat(losses.get(0).ownerThread()).isEmpty();
        assertFree();
    }

    @Test
    void lost_reentryIsTold() {
        Transaction transaction = transactions.begin();
        call(joining);
        time.jump(LEASE);
        assertThatExceptionOfType(RedisLockLostException.class).isThrownBy(lock::lock);
        assertThatExceptionOfType(RedisLockLostException.class).isThrownBy(joining::lock);
        assertThat(engine.threadsInMemory()).isZero();
        transaction.rollBack();
        assertFree();
    }

    @Test
    void keptByTransaction_isRenewed() {
        Transaction transaction = transactions.begin();
        call(joining);
        time.advance(LEASE.multipliedBy(3));
        transaction.commit();
        assertFree();
        assertThat(losses).isEmpty();
    }

    @Test
    void commit_lessThanHalfTheLeaseLeft_isRenewed() {
        Transaction transaction = transactions.begin();
        call(joining);
        time.jump(Duration.ofSeconds(16));
        store.after(
                RENEW,
                () -> assertThat(memory.holder("order").orElseThrow().remainingLease())
                        .isEqualTo(LEASE));
        transaction.commit();
        assertThat(store.count(RENEW)).isOne();
    }

    @Test
    void commit_moreThanHalfTheLeaseLeft_redisIsNotAsked() {
        Transaction transaction = transactions.begin();
        call(joining);
        time.jump(Duration.ofSeconds(14));
        transaction.commit();
        assertThat(store.count(RENEW)).isZero();
    }

    @Test
    void commit_renewalFailsAndEnoughIsLeft_commits() {
        Transaction transaction = transactions.begin();
        call(joining);
        time.jump(Duration.ofSeconds(20));
        store.unreachable(RENEW, 1);
        transaction.commit();
        assertFree();
    }

    @Test
    void commit_renewalFailsAndLittleIsLeft_rollsBack() {
        Transaction transaction = transactions.begin();
        call(joining);
        time.jump(Duration.ofMillis(28_800)); // certain until 29,690
        store.unreachable(RENEW, 1);
        assertThatExceptionOfType(RedisLockLostException.class)
                .isThrownBy(transaction::commit)
                .withMessageContaining("1000 ms are required");
        assertFree();
    }

    @Test
    void commit_explicitLeaseNearItsEnd_rollsBack() {
        Transaction transaction = transactions.begin();
        joining.lock(10, SECONDS);
        joining.unlock();
        time.jump(Duration.ofSeconds(9));
        assertThatExceptionOfType(RedisLockLostException.class).isThrownBy(transaction::commit);
        assertThat(store.count(RENEW)).isZero();
        assertFree();
    }

    @Test
    void commit_shortExplicitLease_halfOfItIsEnough() {
        Transaction transaction = transactions.begin();
        joining.lock(400, MILLISECONDS);
        joining.unlock();
        time.jump(Duration.ofMillis(150));
        transaction.commit();
        assertFree();
    }

    @Test
    void renewedCallAfterExplicitOne_isRenewedUntilTheEnd() throws Exception {
        Transaction transaction = transactions.begin();
        joining.lock(5, SECONDS);
        joining.unlock();
        call(joining);
        time.advance(LEASE.multipliedBy(2));
        transaction.commit();
        assertThat(losses).isEmpty();
        assertFree();
    }

    @Test
    void explicitLeaseReachesFarther_redisIsAsked() throws Exception {
        Transaction transaction = transactions.begin();
        call(joining);
        assertThat(joining.tryLock(0, 60, SECONDS)).isTrue();
        assertThat(joining.remainingLease()).isGreaterThan(Duration.ofSeconds(59));
        joining.unlock();
        transaction.commit();
        assertFree();
    }

    @Test
    void clientClosed_holdOfTransactionIsLostAndRollsBack() {
        Transaction transaction = transactions.begin();
        call(joining);
        engine.close();
        assertHeldInRedis();
        assertThatExceptionOfType(RedisLockLostException.class).isThrownBy(transaction::commit);
        assertHeldInRedis(); // it is for its lease to free it: the transaction might have gone on
    }

    private void assertHeldInRedis() {
        assertThat(memory.holder("order")).isPresent();
    }

    /** What was looked at first may end while the lease of the second is being extended. */
    @Test
    void commit_firstEndsWhileSecondIsExtended_rollsBack() {
        Transaction transaction = transactions.begin();
        joining.lock(20, SECONDS); // certain for 19.79 s
        joining.unlock();
        call(engine.get("stock").joiningTransaction());
        time.jump(Duration.ofSeconds(18));
        store.before(RENEW, () -> time.jump(Duration.ofMillis(1_900))); // of the second, within the command's time-out
        assertThatExceptionOfType(RedisLockLostException.class).isThrownBy(transaction::commit);
    }

    /** The work of the first call goes on, on another thread, while the second call of the same transaction is let in. */
    @Test
    void stageOfTheTransactionRuns_isNotReentered() {
        Transaction transaction = transactions.begin();
        var work = new CompletableFuture<String>();
        joining.lock();
        var unused = joining.unlockWhenComplete(work);
        assertThat(joining.tryLock()).isFalse();
        assertThatIllegalStateException().isThrownBy(joining::lock).withMessageContaining("asynchronous call");
        work.complete("done");
        call(joining);
        transaction.commit();
        assertFree();
    }

    /** Even the first transaction's end must not make a stage's hold one that may be entered. */
    @Test
    void stageOfEndedTransaction_isNotAdoptedByIt() throws Exception {
        Transaction other = transactions.begin();
        call(engine.get("another").joiningTransaction()); // some transaction is open
        other.suspend();
        Transaction transaction = transactions.begin();
        var work = new CompletableFuture<String>();
        joining.lock();
        var unused = joining.unlockWhenComplete(work);
        Party.running(transaction::rollBack).result(); // by the reaper
        transaction.resume(); // and the thread is in it until it ends it as well
        assertThat(joining.tryLock()).isFalse();
    }

    @Test
    void errorAtTheEndOfATransaction_theOtherHoldsAreLeftAllTheSame() {
        Transaction transaction = transactions.begin();
        call(engine.get("first").joiningTransaction());
        call(joining);
        store.before(RELEASE, () -> {
            throw new OutOfMemoryError("unable to create native thread");
        });
        try {
            transaction.commit();
        } catch (OutOfMemoryError e) {
            // the platform would log it
        }
        time.advance(LEASE.multipliedBy(3));
        assertThat(memory.holder("order")).as("renewed for ever").isEmpty();
    }

    @Test
    void explicitLeaseInTransaction_outerRenewedCall_isNotRenewedAfterThat() {
        lock.lock();
        Transaction transaction = transactions.begin();
        joining.lock(40, SECONDS);
        joining.unlock();
        lock.unlock();
        time.advance(LEASE.multipliedBy(4));
        assertThat(losses).as("an explicit lease is not renewed").hasSize(1);
        transaction.rollBack();
    }

    /** The end of a transaction that has many locks, while Redis is down, does not wait for it again and again. */
    @Test
    void transactionEndsWhileRedisIsDown_isWaitedForOnce() {
        Transaction transaction = transactions.begin();
        for (int i = 0; i < 10; i++) {
            call(engine.get("lock" + i).joiningTransaction());
        }
        store.unreachable(RELEASE, 10);
        transaction.commit();
        assertThat(store.instructionsLeft(RELEASE)).isEqualTo(9);
    }

    @Test
    void ownerOfTheNews_isWhoHadTheHoldWhenItWasLost() {
        Transaction transaction = transactions.begin();
        joining.lock();
        time.jump(LEASE);
        assertThat(lock.isHeldByCurrentThread()).isFalse(); // found lost here
        assertThatExceptionOfType(RedisLockLostException.class).isThrownBy(joining::unlock);
        time.runDue(); // the news, a moment later
        assertThat(losses)
                .singleElement()
                .satisfies(loss -> assertThat(loss.ownerThread())
                        .isEqualTo(Thread.currentThread().getName()));
        transaction.rollBack();
    }
}
