package org.redislocked.core;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.redislocked.core.Stage.check;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jetbrains.lincheck.Lincheck;
import org.jetbrains.lincheck.LincheckSettings;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.redislocked.RedisLockLostException;
import org.redislocked.RedisLockUnavailableException;
import org.redislocked.core.Stage.Actor;
import org.redislocked.core.Stage.Store.Fate;

/**
 * The whole engine under Lincheck's model checker, which runs each scenario again and again and switches threads at
 * another access to shared memory each time: first with one switch that no thread asked for, then with two, and so on.
 *
 * <p>It knows no time-outs: a park lasts until somebody ends it. So a wake-up that is lost is a deadlock here, which no
 * poll interval hides.
 */
@Tag("interleavings")
class InterleavingsTest {

    private static final int INTERLEAVINGS = Integer.getInteger("interleavings", 30);

    private static final LincheckSettings OWN_CODE = new LincheckSettings(false, 10, 50, 20); // the rest as by default

    private static final Logger LOG = Logger.getLogger("org.redislocked");

    @BeforeAll
    static void beSilent() {
        LOG.setLevel(Level.OFF); // losses are business as usual here, and a log handler has its own steps
    }

    @AfterAll
    static void speak() {
        LOG.setLevel(null);
    }

    private static void explore(Runnable scenario) {
        // What runConcurrentTest() does, but with the collections of the JDK as single steps: they are not under test.
        Lincheck.runConcurrentTestInternal$lincheck(INTERLEAVINGS, OWN_CODE, scenario);
    }

    @Test
    void twoThreadsAndAnOwner_excludeEachOtherAndBothGetTheLock() {
        explore(() -> {
            Stage stage = new Stage();
            stage.lock.lock();
            stage.start(stage::lockAndUnlock);
            stage.start(stage::lockAndUnlock);
            stage.work();
            stage.lock.unlock();
            stage.end();
            check(stage.entries.get() == 3, "not all had the lock");
            check(stage.store.contended.get() == 0, "a thread talked to the store while another held the lock here");
        });
    }

    @Test
    void interruptAgainstGrant_eitherHasTheLockOrAnException_andTheNextGetsIt() {
        explore(() -> {
            Stage stage = new Stage();
            stage.lock.lock();
            Actor interrupted = stage.start(() -> {
                try {
                    stage.lock.lockInterruptibly();
                } catch (InterruptedException e) {
                    check(!Thread.currentThread().isInterrupted(), "told twice");
                    check(!stage.lock.isHeldByCurrentThread(), "held in spite of the exception");
                    return;
                }
                stage.work();
                stage.lock.unlock();
                while (!Thread.interrupted()) { // for ever, if the interrupt was swallowed
                    LockSupport.park();
                }
            });
            stage.start(stage::lockAndUnlock);
            stage.start(interrupted::interrupt);
            stage.work();
            stage.lock.unlock();
            stage.end();
            check(stage.store.contended.get() == 0, "a thread talked to the store while another held the lock here");
        });
    }

    @Test
    void timeOutAgainstGrant_eitherHasTheLockOrNot_andTheNextGetsIt() {
        explore(() -> {
            Stage stage = new Stage();
            stage.lock.lock();
            stage.start(() -> {
                if (stage.lock.tryLock(1, SECONDS)) {
                    stage.work();
                    stage.lock.unlock();
                } else {
                    check(!stage.lock.isHeldByCurrentThread(), "held after all");
                }
            });
            stage.start(stage::lockAndUnlock);
            stage.start(() -> stage.pass(Duration.ofSeconds(2)));
            stage.work();
            stage.lock.unlock();
            stage.end();
            check(stage.store.contended.get() == 0, "a thread talked to the store while another held the lock here");
        });
    }

    @Test
    void renewalAgainstRelease_nothingIsRenewedOrLost() {
        explore(() -> {
            Stage stage = new Stage();
            stage.lock.lock();
            stage.start(stage.platform::tick);
            stage.lock.unlock(); // throws if the answer to the pass was taken for a loss
            stage.end();
            check(stage.news.executed.get() == 0, "a hold was lost");
        });
    }

    @Test
    void deadlineAgainstRelease_releasedOrLostOnce_andTheWaiterGoesOn() {
        explore(() -> {
            Stage stage = new Stage();
            stage.lock.lock();
            stage.start(stage::lockAndUnlock);
            stage.start(() -> {
                stage.pass(EngineTest.LEASE);
                stage.platform.tick();
            });
            boolean lost = isLost(stage.lock::unlock);
            stage.end();
            check(stage.news.executed.get() == (lost ? 1 : 0), "not told as often as lost");
            check(stage.store.contended.get() == 0, "a thread talked to the store while another held the lock here");
        });
    }

    @Test
    void evictionAgainstRelease_releasedOrLostOnce_andTheWaiterGoesOn() {
        explore(() -> {
            Stage stage = new Stage();
            stage.lock.lock();
            String grantId = stage.store.owner();
            stage.start(stage::lockAndUnlock);
            stage.start(() -> {
                stage.store.evict(grantId);
                stage.platform.tick();
            });
            isLost(stage.lock::unlock);
            stage.end();
            check(stage.news.executed.get() <= 1, "lost more than once");
            check(stage.store.contended.get() == 0, "a thread talked to the store while another held the lock here");
        });
    }

    @Test
    void lossAgainstReentry_eachEntryIsToldAndLeftOnce() {
        explore(() -> {
            Stage stage = new Stage();
            stage.lock.lock();
            String grantId = stage.store.owner();
            stage.start(() -> {
                stage.store.evict(grantId);
                stage.platform.tick();
            });
            stage.start(() -> stage.pass(EngineTest.LEASE));
            boolean reentryLost = isLost(stage.lock::lock);
            boolean innerLost = !reentryLost && isLost(stage.lock::unlock);
            boolean outerLost = isLost(stage.lock::unlock);
            stage.end();
            check(outerLost || !(reentryLost || innerLost), "a lost hold was released");
            check(stage.news.executed.get() <= 1, "lost more than once");
        });
    }

    @Test
    void closeAgainstEnter_refusedOrFinished_andCloseReturns() {
        explore(() -> {
            Stage stage = new Stage(Stage.PATIENT);
            Actor.Body body = () -> {
                try {
                    stage.lock.lock();
                } catch (IllegalStateException e) {
                    return; // refused
                }
                stage.work();
                stage.lock.unlock(); // never lost: close() waits for it
            };
            stage.start(body);
            stage.start(body);
            stage.engine.close();
            check(stage.engine.threadsInMemory() == 0, "close() did not wait");
            stage.end();
        });
    }

    @Test
    void closeAtOnceAgainstEnter_leavesNothingInMemory() {
        explore(() -> {
            Stage stage = new Stage();
            AtomicBoolean kept = new AtomicBoolean();
            stage.start(() -> {
                try {
                    stage.lock.lock();
                } catch (IllegalStateException e) {
                    return;
                }
                kept.set(isLost(stage.lock::unlock));
            });
            stage.engine.close();
            stage.actorsEnd();
            check(stage.engine.namesInMemory() == 0, "the name is left in memory");
            check(stage.engine.threadsInMemory() == 0, "a hold is left in the book");
            check((stage.store.owner() != null) == kept.get(), "not released, but not lost either, or the reverse");
        });
    }

    @Test
    void answerLost_nextHeadAndBackgroundRelease_oneValidHoldAtATime() {
        explore(() -> afterUnknownOutcome(Fate.ANSWER_LOST));
    }

    @Test
    void attemptExecutedLate_nextHeadAndBackgroundRelease_oneValidHoldAtATime() {
        explore(() -> afterUnknownOutcome(Fate.LATE));
    }

    private static void afterUnknownOutcome(Fate fate) {
        Stage stage = new Stage();
        Actor unlucky = stage.actor(() -> {
            try {
                check(!stage.lock.tryLock(), "granted without an answer");
            } catch (RedisLockUnavailableException e) {
                // it has had no answer
            }
        });
        stage.store.fate(unlucky.thread, fate);
        unlucky.start();
        Actor next = stage.start(stage::lockAndUnlock); // throws if the lock is taken from it
        Actor network = stage.start(() -> {
            stage.store.executeLate();
            stage.background.runReady();
        });
        unlucky.await();
        network.await();
        stage.store.executeLate();
        stage.background.runAll(); // the second release of an abandoned attempt comes when none can be late
        next.await();
        stage.end();
        check(stage.entries.get() == 1, "the next head did not get the lock");
    }

    private static boolean isLost(Runnable step) {
        try {
            step.run();
            return false;
        } catch (RedisLockLostException e) {
            return true;
        }
    }
}
