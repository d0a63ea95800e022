package org.redislocked.core;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.redislocked.core.FaultyStore.Operation.RELEASE;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.redislocked.RedisLockLostException;
import org.redislocked.ReentrantRedisLock;
import org.redislocked.core.ManualTransactions.Transaction;

/** Locks that are kept until a stage is complete. */
class StageTest extends EngineTest {

    private final CompletableFuture<String> work = new CompletableFuture<>();

    private CompletableFuture<String> keptFor(CompletableFuture<String> stage) {
        lock.lock();
        return lock.unlockWhenComplete(stage);
    }

    private static Throwable failure(CompletableFuture<?> future) {
        return catchThrowable(future::get);
    }

    @Test
    void notComplete_isKeptAndNotTheThreads() throws Exception {
        CompletableFuture<String> result = keptFor(work);
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThat(engine.current()).isEmpty();
        assertThat(engine.threadsInMemory()).isZero();
        assertThat(lock.tryLock()).isFalse();
        assertHeld();
        time.advance(LEASE.multipliedBy(2)); // renewed
        assertHeld();

        Party.running(() -> work.complete("done")).result();
        assertThat(result).isCompletedWithValue("done");
        assertFree();
    }

    @Test
    void completed_isReleasedBeforeAnybodyIsTold() {
        CompletableFuture<String> result = keptFor(work);
        CompletableFuture<String> next = result.thenApply(value -> {
            assertFree();
            return value + " and free";
        });
        work.complete("done");
        assertThat(next).isCompletedWithValue("done and free");
    }

    @Test
    void failed_failsAndIsReleased() {
        CompletableFuture<String> result = keptFor(work);
        var failure = new IllegalArgumentException("bad");
        work.completeExceptionally(failure);
        assertThat(failure(result)).isInstanceOf(ExecutionException.class).hasCause(failure);
        assertFree();
    }

    @Test
    void cancelled_isCancelledAndReleased() {
        CompletableFuture<String> result = keptFor(work);
        assertThat(result.cancel(true)).isTrue();
        assertThat(work).isCancelled();
        assertThat(result).isCancelled();
        assertFree();
    }

    @Test
    void workCancelled_isCancelledAndReleased() {
        CompletableFuture<String> result = keptFor(work);
        work.cancel(true);
        assertThat(failure(result)).isInstanceOf(CancellationException.class);
        assertFree();
    }

    @Test
    void cancelledButNotTheWork_isKeptUntilItIsDone() {
        lock.lock();
        CompletableFuture<String> result = lock.unlockWhenComplete(work.minimalCompletionStage());
        assertThat(result.cancel(true)).isTrue();
        assertHeld();
        work.complete("done");
        assertFree();
        assertThat(result).isCancelled();
    }

    @Test
    void completeAlready_isReleasedAtOnce() {
        assertThat(keptFor(CompletableFuture.completedFuture("done"))).isCompletedWithValue("done");
        assertFree();
    }

    @Test
    void nested_onlyTheInnerEntryIsTheStages() {
        lock.lock();
        CompletableFuture<String> result = keptFor(work);
        assertThat(lock.getHoldCount()).isOne();
        lock.unlock();
        assertHeld();
        assertThat(lock.tryLock()).as("by who is no longer the owner").isFalse();
        work.complete("done");
        assertThat(result).isCompleted();
        assertFree();
    }

    @Test
    void nested_completedBeforeTheOuterUnlock_isKeptByThat() {
        lock.lock();
        keptFor(work);
        work.complete("done");
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        lock.unlock();
        assertFree();
    }

    @Test
    void lost_failsWhenTheWorkIsDone() {
        CompletableFuture<String> result = keptFor(work);
        time.jump(LEASE);
        time.runDue();
        assertThat(losses).hasSize(1);
        assertThat(result).isNotDone();
        work.complete("done");
        assertThat(failure(result)).hasCauseInstanceOf(RedisLockLostException.class);
    }

    @Test
    void lostAndFailed_theFailureIsNotMasked() {
        CompletableFuture<String> result = keptFor(work);
        time.jump(LEASE);
        var failure = new IllegalArgumentException("bad");
        work.completeExceptionally(failure);
        assertThat(failure(result)).hasCause(failure);
        assertThat(failure.getSuppressed()).hasAtLeastOneElementOfType(RedisLockLostException.class);
    }

    @Test
    void foundLostByItsRelease_fails() {
        CompletableFuture<String> result = keptFor(work);
        String grantId = lock.holder().orElseThrow().grantId();
        memory.release("order", grantId);
        work.complete("done");
        assertThat(failure(result)).hasCauseInstanceOf(RedisLockLostException.class);
    }

    @Test
    void redisIsDown_completesAsTheWork() {
        CompletableFuture<String> result = keptFor(work);
        store.unreachable(RELEASE, 1);
        work.complete("done");
        assertThat(result).isCompletedWithValue("done");
        time.runDue();
        assertFree();
    }

    @Test
    void threadEnds_isKept() throws Exception {
        Party<CompletableFuture<String>> starter = Party.of(() -> keptFor(work));
        CompletableFuture<String> result = starter.result();
        starter.awaitEnd();
        time.advance(LEASE.multipliedBy(2));
        assertThat(losses).isEmpty();
        work.complete("done");
        assertThat(result).isCompletedWithValue("done");
        assertFree();
    }

    @Test
    void explicitLease_isNotRenewed() {
        lock.lock(5, SECONDS);
        CompletableFuture<String> result = lock.unlockWhenComplete(work);
        time.advance(LEASE);
        assertThat(losses).hasSize(1);
        work.complete("done");
        assertThat(failure(result)).hasCauseInstanceOf(RedisLockLostException.class);
    }

    @Test
    void transactionAndStage_theLaterReleases() {
        Transaction transaction = transactions.begin();
        ReentrantRedisLock joining = lock.joiningTransaction();
        joining.lock();
        joining.unlockWhenComplete(work);
        work.complete("done");
        assertHeld();
        transaction.commit();
        assertFree();
    }

    @Test
    void transactionBegunMeanwhileRefuses_theResultFails() {
        ReentrantRedisLock joining = lock.joiningTransaction();
        joining.lock();
        Transaction transaction = transactions.begin().refusing();
        CompletableFuture<String> result = joining.unlockWhenComplete(work);
        assertThat(transaction.rollbackOnly).isTrue();
        work.complete("done");
        assertThat(failure(result)).hasMessageContaining("too late");
        assertFree();
    }

    @Test
    void stageCannotTell_isReleased() {
        lock.lock();
        var broken = new CompletableFuture<String>() {
            @Override
            public CompletableFuture<String> whenComplete(BiConsumer<? super String, ? super Throwable> action) {
                throw new UnsupportedOperationException("broken");
            }
        };
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> lock.unlockWhenComplete(broken));
        assertFree();
    }

    @Test
    void notHeld_isRefused() {
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(() -> lock.unlockWhenComplete(work));
    }

    @Test
    void noStage_isRefusedAndHeld() {
        lock.lock();
        assertThatNullPointerException().isThrownBy(() -> lock.unlockWhenComplete(null));
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        lock.unlock();
        assertFree();
    }

    @Test
    void errorAtTheEndOfAStage_resultIsCompleteAllTheSame() {
        lock.lock();
        CompletableFuture<String> result = lock.unlockWhenComplete(work);
        store.before(RELEASE, () -> {
            throw new NoClassDefFoundError("of an application that was undeployed");
        });
        work.complete("done");
        assertThat(result).isDone();
    }

    /** A stage is foreign code. */
    @Test
    void stageTellsTwice_theTransactionKeepsItsEntry() {
        ReentrantRedisLock joining = lock.joiningTransaction();
        Transaction transaction = transactions.begin();
        joining.lock();
        var twice = new CompletableFuture<String>() {
            @Override
            public CompletableFuture<String> whenComplete(BiConsumer<? super String, ? super Throwable> action) {
                super.whenComplete(action);
                return super.whenComplete(action);
            }
        };
        CompletionStage<String> unused = joining.unlockWhenComplete(twice);
        twice.complete("done");
        assertHeld();
        transaction.commit();
        assertFree();
    }
}
