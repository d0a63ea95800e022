package org.redislocked.core;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.redislocked.RedisLockLostException;
import org.redislocked.ReentrantRedisLock;
import org.redislocked.core.ManualTransactions.Transaction;
import org.redislocked.testing.RecordedLog;

/** Holds that are left behind, or last for too long. */
class LeakTest extends EngineTest {

    private final RecordedLog log = new RecordedLog();

    @AfterEach
    void stopListening() {
        log.close();
    }

    private void requestEnds() {
        List<LeakGuard.GuardedHold> open =
                guarded.stream().filter(LeakGuard.GuardedHold::isEntered).toList();
        open.stream().filter(LeakGuard.GuardedHold::isEntered).forEach(LeakGuard.GuardedHold::leaveBehind);
    }

    @Test
    void leftBehind_isReleasedAndToldWithItsPlace() {
        lock.lock();
        requestEnds();
        assertFree();
        assertThat(log.lines())
                .singleElement()
                .asString()
                .startsWith("SEVERE Lock 'order' was not unlocked")
                .contains("LeakTest.leftBehind_isReleasedAndToldWithItsPlace(LeakTest.java:");
        assertThat(lock.isHeldByCurrentThread()).isFalse();
    }

    @Test
    void leftBehind_nested_isReleasedAsAWhole() {
        lock.lock();
        lock.lock();
        lock.lock();
        lock.unlock();
        requestEnds();
        assertFree();
        assertThat(log.lines()).hasSize(1);
    }

    @Test
    void unlocked_nothingIsOpen() {
        lock.lock();
        lock.lock();
        lock.unlock();
        lock.unlock();
        assertThat(guarded).hasSize(2).noneMatch(LeakGuard.GuardedHold::isEntered);
    }

    @Test
    void enteredBeforeTheRequest_isLeftAsItWas() {
        lock.lock();
        guarded.clear(); // only what comes is the request's
        lock.lock();
        lock.unlock();
        requestEnds();
        assertThat(log.lines()).isEmpty();
        assertThat(lock.getHoldCount()).isOne();

        lock.lock();
        requestEnds();
        assertThat(log.lines()).hasSize(1);
        assertThat(lock.getHoldCount()).isOne();
        lock.unlock();
        assertFree();
    }

    @Test
    void leftBehindInsideAnInterceptedCall_isLeftAfterIt() {
        ReentrantRedisLock ofCall = LockEngine.unguarded(lock);
        ofCall.lock();
        lock.lock();
        ofCall.unlock(); // the innermost, as it is only counted
        assertHeld();
        requestEnds();
        assertThat(log.lines()).hasSize(1);
        assertFree();
    }

    @Test
    void interceptedCall_isNotWatched() {
        ReentrantRedisLock ofCall = LockEngine.unguarded(lock);
        ofCall.lock();
        assertThat(guarded).isEmpty();
        ofCall.unlock();
        assertFree();
    }

    @Test
    void keptByTransactionOrStage_isNotLeftBehind() {
        var transaction = transactions.begin();
        lock.joiningTransaction().lock();
        lock.unlock();
        lock.lock();
        var work = new CompletableFuture<String>();
        var unused = lock.unlockWhenComplete(work);
        requestEnds();
        assertThat(log.lines()).isEmpty();
        assertHeld();
        work.complete("done");
        transaction.commit();
        assertFree();
    }

    @Test
    void leftBehindInATransaction_isKeptUntilItsEnd() {
        var transaction = transactions.begin();
        lock.joiningTransaction().lock();
        requestEnds();
        assertThat(log.lines()).hasSize(1);
        assertHeld();
        transaction.commit();
        assertFree();
    }

    @Test
    void leftBehind_lost_isForgotten() {
        lock.lock();
        lock.lock();
        time.jump(LEASE);
        requestEnds();
        assertThat(engine.threadsInMemory()).isZero();
        lock.lock();
        assertThat(lock.getHoldCount()).isOne();
    }

    @Test
    void endedByAnotherThread_isToldAndKept() throws Exception {
        lock.lock();
        Party.running(this::requestEnds).result();
        assertThat(log.lines())
                .singleElement()
                .asString()
                .startsWith("SEVERE Lock 'order' was not unlocked by thread "
                        + Thread.currentThread().getName());
        time.advance(LEASE.multipliedBy(2));
        assertThat(lock.isHeldByCurrentThread()).as("for it may work yet").isTrue();
        lock.lock();
        lock.unlock();
        lock.unlock();
        assertFree();
    }

    @Test
    void endedByAnotherThread_inItsNextRequest_isReleasedAndTakenAnew() throws Exception {
        lock.lock();
        String leftBehind = engine.current().orElseThrow().id();
        Party.running(this::requestEnds).result();
        request = "the next";
        lock.lock();
        assertThat(lock.getHoldCount()).isOne();
        assertThat(engine.current().orElseThrow().id()).isNotEqualTo(leftBehind);
        lock.unlock();
        assertFree();
        assertThat(losses).isEmpty();
    }

    @Test
    void threadIsInItsNextRequest_beforeTheFirstHasEnded_doesNotReenter() throws Exception {
        lock.lock();
        request = "the next";
        assertThat(lock.tryLock()).isFalse();
        Party.running(this::requestEnds).result();
        time.runDue();
        assertThat(losses)
                .singleElement()
                .satisfies(
                        loss -> assertThat(loss.reason()).contains("was not unlocked before the end of the request"));
        assertThat(lock.tryLock()).isTrue();
        assertThat(lock.getHoldCount()).isOne();
        lock.unlock();
        assertFree();
    }

    @Test
    void takenOutsideOfRequests_isReenteredInOne() {
        request = null;
        lock.lock();
        request = "a request";
        lock.lock();
        assertThat(lock.getHoldCount()).isEqualTo(2);
        lock.unlock();
        lock.unlock();
        assertFree();
    }

    @Test
    void requestEndsWhileTheNextOneHasTakenItByHand_thatIsLeftAsItIs() throws Exception {
        ReentrantRedisLock joining = lock.joiningTransaction();
        Transaction transaction = transactions.begin();
        joining.lock();
        joining.unlock();
        transaction.suspend();
        var first = List.copyOf(guarded);
        request = "the next";
        Party.running(() -> {
                    transaction.resume();
                    joining.lock();
                    assertThat(first).noneMatch(LeakGuard.GuardedHold::isEntered);
                    joining.unlock();
                    transaction.commit();
                })
                .result();
        assertFree();
    }

    private LockEngine watching(Duration maxHoldTime, Duration leakDetectionThreshold) {
        return engine(
                new LockSettings(
                        "test",
                        LEASE,
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(2),
                        Duration.ofSeconds(10),
                        Duration.ZERO,
                        maxHoldTime,
                        leakDetectionThreshold),
                () -> scheduler);
    }

    @Test
    void heldForLong_isReportedOnce() {
        try (LockEngine watching = watching(Duration.ZERO, Duration.ofMinutes(1))) {
            ReentrantRedisLock watched = watching.get("order");
            watched.lock();
            time.advance(Duration.ofSeconds(55));
            assertThat(log.lines()).isEmpty();
            time.advance(Duration.ofMinutes(5));
            assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .startsWith("WARNING Lock 'order' has been held for ")
                    .contains("taken at ", "LeakTest.heldForLong_isReportedOnce(LeakTest.java:", "by thread ");
            watched.unlock();
        }
        assertThat(losses).isEmpty();
    }

    @Test
    void heldForTooLong_isNotRenewedAndEndsWithItsLease() {
        try (LockEngine watching = watching(Duration.ofMinutes(1), Duration.ZERO)) {
            ReentrantRedisLock watched = watching.get("order");
            watched.lock();
            time.advance(Duration.ofSeconds(55));
            assertThat(watched.isHeldByCurrentThread()).isTrue();
            time.advance(Duration.ofSeconds(60));
            assertThat(losses)
                    .singleElement()
                    .satisfies(loss -> assertThat(loss.reason()).contains("max-hold-time"));
            assertThat(log.lines().get(0)).startsWith("WARNING Lock 'order' is not renewed any more");
            assertThatExceptionOfType(RedisLockLostException.class).isThrownBy(watched::unlock);
        }
    }

    @Test
    void stageNeverCompletes_endsWithMaxHoldTime() throws Exception {
        try (LockEngine watching = watching(Duration.ofMinutes(1), Duration.ZERO)) {
            ReentrantRedisLock watched = watching.get("order");
            watched.lock();
            var unused = watched.unlockWhenComplete(new CompletableFuture<>());
            time.advance(Duration.ofMinutes(2));
            assertThat(losses).hasSize(1);
            assertThat(watched.tryLock(0, SECONDS)).isTrue();
            watched.unlock();
        }
    }

    /** A platform that answers the client before it destroys the request: the next request goes on with the transaction. */
    @Test
    void requestEndsWhileTheNextOneGoesOnWithItsTransaction_thatIsLeftAsItIs() throws Exception {
        ReentrantRedisLock joining = lock.joiningTransaction();
        Transaction transaction = transactions.begin();
        joining.lock();
        joining.unlock(); // guarded: by the first request
        transaction.suspend();
        Party.running(() -> {
                    transaction.resume();
                    LockEngine.unguarded(joining).lock(); // a @RedisLocked method in the second request
                    Party.running(this::requestEnds).result(); // the end of the first request
                    time.advance(LEASE.multipliedBy(2));
                    assertThat(joining.isHeldByCurrentThread())
                            .as("renewed while it is held")
                            .isTrue();
                    joining.unlock();
                    transaction.commit();
                })
                .result();
        assertFree();
    }

    /** A hold with an explicit lease was never renewed. */
    @Test
    void explicitLeaseEnds_isNotSaidToBeDueToMaxHoldTime() {
        LockSettings settings = new LockSettings(
                "test",
                LEASE,
                Duration.ofSeconds(1),
                Duration.ofSeconds(1),
                Duration.ofSeconds(2),
                Duration.ofSeconds(10),
                Duration.ZERO,
                Duration.ofSeconds(30),
                Duration.ZERO);
        try (LockEngine watching = engine(settings, () -> scheduler)) {
            watching.get("order").lock(60, SECONDS);
            time.advance(Duration.ofSeconds(80));
        }
        assertThat(losses)
                .singleElement()
                .satisfies(loss -> assertThat(loss.reason()).isEqualTo("its lease has ended"));
    }
}
