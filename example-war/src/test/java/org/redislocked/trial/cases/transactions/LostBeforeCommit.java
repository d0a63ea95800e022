package org.redislocked.trial.cases.transactions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import jakarta.ejb.EJB;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.RollbackException;
import jakarta.transaction.UserTransaction;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.redislocked.Hold;
import org.redislocked.LockName;
import org.redislocked.RedisLockLostException;
import org.redislocked.RedisLocks;
import org.redislocked.ReentrantRedisLock;
import org.redislocked.trial.Here;
import org.redislocked.trial.InContainer;

/** A lock that is lost before the transaction commits that keeps it: what was written under it must not stay. */
@ApplicationScoped
public class LostBeforeCommit {

    private static final String LOCK = LockedBean.LOCK;
    private static final String KEY = "redis-lock:" + LOCK;
    private static final String ROW = "lost-before-commit";

    @Inject
    Here here;

    @Inject
    Transactions transactions;

    @Inject
    Ledger ledger;

    @Inject
    Caller caller;

    @EJB
    CallerEjb callerEjb;

    @Inject
    LockedBean bean;

    @Inject
    RedisLocks locks;

    @Inject
    @LockName(LOCK)
    ReentrantRedisLock lock;

    @Inject
    UserTransaction transaction;

    @InContainer
    public void hold_stillHeld_letsCommit() throws Exception {
        ledger.write(ROW, 1);
        caller.inTransaction(() -> bean.plain(() -> ledger.write(ROW, 2)));
        assertEquals(2, ledger.read(ROW));
    }

    @InContainer
    public void leaseEnded_inUserTransaction_rollsBack() throws Exception {
        ledger.write(ROW, 1);
        transaction.begin();
        bean.leased(() -> ledger.write(ROW, 2));
        Thread.sleep(LockedBean.LEASE_MILLIS);
        assertTellsOfLoss(assertThrows(RollbackException.class, transaction::commit));
        assertRolledBack();
    }

    /** Renewal finds that the lock is no longer ours, and loses it. */
    @InContainer
    public void keyDeleted_inUserTransaction_rollsBack() throws Exception {
        ledger.write(ROW, 1);
        transaction.begin();
        loseAfterMethod();
        assertTellsOfLoss(assertThrows(RollbackException.class, transaction::commit));
        assertRolledBack();
    }

    /** The method's exit tells of it first, and the caller takes no notice. */
    @InContainer
    public void keyDeleted_insideMethod_rollsBackAllTheSame() throws Exception {
        ledger.write(ROW, 1);
        transaction.begin();
        assertThrows(
                RedisLockLostException.class,
                () -> bean.plain(() -> {
                    ledger.write(ROW, 2);
                    deleteAndAwaitLoss(locks.current().orElseThrow());
                }));
        assertThrows(RollbackException.class, transaction::commit);
        assertRolledBack();
    }

    @InContainer
    public void keyDeleted_inTransactionOfCdiBean_rollsBack() throws Exception {
        ledger.write(ROW, 1);
        assertTellsOfLoss(assertThrows(Exception.class, () -> caller.inTransaction(this::loseAfterMethod)));
        assertRolledBack();
    }

    @InContainer
    public void keyDeleted_inTransactionOfEjb_rollsBack() throws Exception {
        ledger.write(ROW, 1);
        assertTellsOfLoss(assertThrows(Exception.class, () -> callerEjb.inTransaction(this::loseAfterMethod)));
        assertRolledBack();
    }

    /** Lock outside, transaction inside: there is nobody to keep it from its commit, but the caller is told. */
    @InContainer
    public void keyDeleted_aroundTransaction_isTold() throws Exception {
        assertTellsOfLoss(assertThrows(
                RedisLockLostException.class,
                () -> bean.required(() -> here.redis().del(KEY))));
        assertEquals(0, transactions.count(LOCK));
    }

    /** As if renewals had failed: what is left of the lease is shortened. */
    @InContainer
    public void lease_closeToItsEnd_isRenewedBeforeTheCommit() throws Exception {
        ledger.write(ROW, 1);
        var ending = new AtomicReference<Ending>();
        caller.inTransaction(() -> {
            bean.plain(() -> {
                ledger.write(ROW, 2);
                shortenLease(locks.current().orElseThrow(), Duration.ofSeconds(2));
                assertTrue(lock.remainingLease().toMillis() <= 2000);
            });
            ending.set(transactions.watch(LOCK)); // after the lock's own: so it sees what that did
        });
        assertTrue(ending.get().leaseMillisBefore() > 4000, ending.get().leaseMillisBefore() + " ms are left");
        assertEquals(2, ledger.read(ROW));
        assertEquals(0, transactions.count(LOCK));
    }

    private void shortenLease(Hold hold, Duration left) throws ReflectiveOperationException {
        Object grant = value(hold, "grant");
        ((AtomicLong) value(grant, "deadlineNanos")).set(System.nanoTime() + left.toNanos());
        here.redis().pexpire(KEY, left.toMillis());
    }

    private static Object value(Object owner, String name) throws ReflectiveOperationException {
        Field field = owner.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field.get(owner);
    }

    private void loseAfterMethod() throws Exception {
        var hold = new AtomicReference<Hold>();
        bean.plain(() -> {
            ledger.write(ROW, 2);
            hold.set(locks.current().orElseThrow());
        });
        deleteAndAwaitLoss(hold.get());
    }

    private void deleteAndAwaitLoss(Hold hold) throws InterruptedException {
        here.redis().del(KEY);
        assertTrue(Waiting.until(
                Duration.ofSeconds(10), () -> hold.remainingLease().isZero()));
    }

    private void assertRolledBack() throws Exception {
        assertEquals(1, ledger.read(ROW));
        assertTrue(Waiting.until(Duration.ofSeconds(5), () -> transactions.count(LOCK) == 0));
    }

    /** As each server wraps what a synchronization has thrown: the loss is among the causes. */
    private static void assertTellsOfLoss(Throwable problem) {
        for (Throwable t = problem; t != null; t = t.getCause()) {
            if (t instanceof RedisLockLostException) {
                return;
            }
        }
        fail("the cause is missing", problem);
    }
}
