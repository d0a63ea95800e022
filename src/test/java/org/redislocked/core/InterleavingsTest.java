package org.redislocked.core;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.redislocked.core.Stage.check;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
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
import org.redislocked.core.ManualTransactions.Transaction;
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

    private interface Scenario {
        void run() throws Exception;
    }

    private static void explore(Scenario scenario) {
        // What runConcurrentTest() does, but with the collections of the JDK as single steps: they are not under test.
        Lincheck.runConcurrentTestInternal$lincheck(INTERLEAVINGS, OWN_CODE, () -> {
            try {
                scenario.run();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
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
            check(stage.losses() == (lost ? 1 : 0), "not told as often as lost");
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
            check(stage.losses() <= 1, "lost more than once");
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
            check(stage.losses() <= 1, "lost more than once");
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
        Actor next = stage.actor(stage::lockAndUnlock); // throws if the lock is taken from it
        tryInVain(stage, fate, next);
        stage.background.runReady();
        stage.store.executeLate();
        stage.background.runAll(); // the second release of an abandoned attempt comes when none can be late
        next.await();
        stage.end();
        check(stage.entries.get() == 1, "the next head did not get the lock");
    }

    @Test
    void attemptExecutedAfterNextHeadsRelease_leavesNothing() {
        explore(() -> {
            Stage stage = new Stage();
            Actor next = stage.actor(stage::lockAndUnlock); // perhaps under the same grant id
            tryInVain(stage, Fate.LATE, next);
            next.await();
            stage.background.runReady();
            stage.store.executeLate();
            stage.end();
        });
    }

    private static void tryInVain(Stage stage, Fate fate, Actor next) {
        stage.store.fate(Thread.currentThread(), fate);
        next.start();
        try {
            check(!stage.lock.tryLock(), "granted without an answer");
        } catch (RedisLockUnavailableException e) {
            // it has had no answer
        }
    }

    @Test
    void lookAgainstVacate_theNewHeadIsWoken() {
        explore(() -> {
            Parts parts = new Parts();
            ActiveHold first = parts.acquire();
            parts.stage.start(() -> parts.release(first));
            parts.release(parts.acquire());
            parts.stage.actorsEnd();
            check(parts.stage.store.contended.get() == 0, "the head talked to the store while the lock was held here");
        });
    }

    @Test
    void tryAgainstForeignRelease_theSignalIsNotLost() {
        explore(() -> {
            Parts parts = new Parts();
            parts.stage.store.acquire(Stage.NAME, "foreign", EngineTest.LEASE, 0, 0);
            parts.stage.start(() -> parts.stage.store.release(Stage.NAME, "foreign"));
            parts.release(parts.acquire());
            parts.stage.actorsEnd();
        });
    }

    @Test
    void timeOutAgainstVacate_thoseBehindGoOn() {
        explore(() -> {
            Parts parts = new Parts();
            ActiveHold first = parts.acquire();
            parts.stage.start(() -> parts.release(parts.acquire()));
            parts.stage.start(() -> parts.release(first));
            ActiveHold late = parts.acquireTooLate();
            if (late != null) {
                parts.release(late);
            }
            parts.stage.actorsEnd();
        });
    }

    @Test
    void deadlineAgainstEviction_toldOnce() {
        explore(() -> {
            Parts parts = new Parts();
            ActiveHold hold = parts.acquire();
            parts.stage.pass(EngineTest.LEASE);
            parts.stage.start(() -> parts.keeper.loseIfDue(hold));
            parts.keeper.loseUnowned(hold);
            parts.stage.actorsEnd();
            check(parts.stage.losses() == 1, "told " + parts.stage.told + " times");
            check(parts.queues.size() == 0, "the name is left in memory");
        });
    }

    @Test
    void lossAgainstNextHead_itsHoldStaysInTheQueue() {
        explore(() -> {
            Parts parts = new Parts();
            ActiveHold hold = parts.acquire();
            parts.stage.store.evict(hold.grant().key().grantId());
            parts.stage.start(parts::acquire);
            parts.keeper.loseUnowned(hold);
            parts.stage.actorsEnd();
            check(parts.tryAcquire() == null, "granted twice");
            check(parts.stage.store.contended.get() == 0, "the queue has forgotten the hold of the next head");
        });
    }

    @Test
    void passAgainstRelease_releasedIsNotLost() {
        explore(() -> {
            Parts parts = new Parts();
            ActiveHold hold = parts.acquire();
            parts.watch(hold);
            parts.stage.start(() -> check(parts.release(hold), "lost"));
            parts.renew();
            parts.stage.actorsEnd();
            check(parts.stage.losses() == 0, "a loss was told of a hold that was released");
            check(parts.stage.store.owner() == null, "renewed after the release");
        });
    }

    @Test
    void releaseAgainstDeadline_releasedOrToldOnce() {
        explore(() -> {
            Parts parts = new Parts();
            ActiveHold hold = parts.acquire();
            parts.watch(hold);
            parts.stage.start(() -> parts.keeper.lose(hold, "its thread has ended"));
            boolean released = parts.release(hold);
            parts.stage.actorsEnd();
            check(parts.stage.losses() == (released ? 0 : 1), "not told as often as lost");
        });
    }

    @Test
    void waitAgainstClose_sentAway() {
        explore(() -> {
            Parts parts = new Parts();
            ActiveHold first = parts.acquire();
            parts.stage.start(parts.queue::close);
            try {
                parts.acquire();
                check(false, "granted while another has it");
            } catch (IllegalStateException e) {
                check(parts.release(first), "lost");
            }
            parts.stage.actorsEnd();
        });
    }

    @Test
    void endOfTransactionAgainstUnlock_releasedOnce() {
        explore(() -> {
            Stage stage = new Stage();
            Transaction transaction = stage.transactions.begin();
            stage.lock.joiningTransaction().lock();
            stage.start(transaction::rollBack);
            stage.work();
            stage.lock.unlock(); // not lost: the transaction may have released it
            stage.end();
            check(stage.losses() == 0, "told as lost");
        });
    }

    @Test
    void endOfTransactionAgainstReentry_oneOwnerAtATime() {
        explore(() -> {
            Stage stage = new Stage();
            Transaction transaction = stage.transactions.begin();
            stage.lock.joiningTransaction().lock();
            stage.lock.unlock();
            stage.start(() -> {
                transaction.rollBack();
                stage.background.runAll(); // the release, if it was the last to leave
            });
            stage.lockAndUnlock(); // as the transaction's, or after it
            stage.end();
            check(stage.losses() == 0, "told as lost");
        });
    }

    @Test
    void twoAdoptersAgainstTheEnd_oneOwnerAndOneLast() {
        explore(() -> {
            Entries entries = new Entries();
            entries.enterTransaction();
            check(!entries.leave(), "last before the transaction");
            AtomicInteger adopted = new AtomicInteger();
            AtomicInteger last = new AtomicInteger();
            Actor.Body adopter = () -> {
                if (entries.adopt()) {
                    check(adopted.incrementAndGet() == 1, "two owners");
                    adopted.decrementAndGet();
                    last.addAndGet(entries.leave() ? 1 : 0);
                }
            };
            Actor one = new Actor(adopter);
            Actor other = new Actor(adopter);
            one.start();
            other.start();
            last.addAndGet(entries.leaveTransaction() ? 1 : 0);
            one.await();
            other.await();
            check(last.get() == 1, last + " were last");
        });
    }

    @Test
    void completionAgainstWaiter_releasedOnceAndTheWaiterGoesOn() {
        explore(() -> {
            Stage stage = new Stage();
            var work = new CompletableFuture<String>();
            stage.lock.lock();
            CompletableFuture<String> result = stage.lock.unlockWhenComplete(work);
            stage.start(stage::lockAndUnlock);
            work.complete("done");
            check(result.isDone() && !result.isCompletedExceptionally(), "not as the work");
            stage.end();
            check(stage.entries.get() == 1, "the waiter did not get it");
        });
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
