package org.redislocked.trial.cases.transactions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Status;
import jakarta.transaction.UserTransaction;
import java.util.concurrent.atomic.AtomicBoolean;
import org.redislocked.LockName;
import org.redislocked.ReentrantRedisLock;
import org.redislocked.trial.InContainer;

/** Transactions and locks that are begun and taken by hand. */
@ApplicationScoped
public class UserTransactions {

    private static final String LOCK = LockedBean.LOCK;

    @Inject
    Transactions transactions;

    @Inject
    LockedBean bean;

    @Inject
    UserTransaction transaction;

    @Inject
    @LockName(LOCK)
    ReentrantRedisLock lock;

    @InContainer
    public void joiningLock_unlockedInTransaction_isReleasedAfterItsEnd() throws Exception {
        ReentrantRedisLock joining = lock.joiningTransaction();
        transaction.begin();
        Ending first = transactions.watch(LOCK);
        joining.lock();
        joining.unlock();
        Ending last = transactions.watch(LOCK);
        assertEquals(1, transactions.count(LOCK));
        transaction.commit();
        assertEquals(1, first.countAfter() + last.countAfter(), "told before the lock's own or after it");
        assertEquals(0, transactions.count(LOCK));
    }

    @InContainer
    public void joiningLock_unlockedAfterTheTransaction_isReleasedThen() throws Exception {
        ReentrantRedisLock joining = lock.joiningTransaction();
        transaction.begin();
        joining.lock();
        transaction.commit();
        assertTrue(joining.isHeldByCurrentThread());
        assertEquals(1, transactions.count(LOCK));
        joining.unlock();
        assertEquals(0, transactions.count(LOCK));
    }

    @InContainer
    public void joiningLock_withoutTransaction_isReleasedByUnlock() {
        ReentrantRedisLock joining = lock.joiningTransaction();
        joining.lock();
        joining.unlock();
        assertEquals(0, transactions.count(LOCK));
    }

    @InContainer
    public void plainLock_unlockedInTransaction_isReleasedThen() throws Exception {
        transaction.begin();
        lock.lock();
        lock.unlock();
        assertEquals(0, transactions.count(LOCK));
        transaction.commit();
    }

    @InContainer
    public void plainLock_afterJoiningLockInOneTransaction_isEntered() throws Exception {
        ReentrantRedisLock joining = lock.joiningTransaction();
        transaction.begin();
        joining.lock();
        joining.unlock();
        assertTrue(lock.tryLock());
        assertEquals(1, lock.getHoldCount());
        lock.unlock();
        assertEquals(1, transactions.count(LOCK));
        transaction.rollback();
        assertEquals(0, transactions.count(LOCK));
    }

    @InContainer
    public void transaction_begunInLockedMethodAndLeftActive_keepsTheLock() throws Exception {
        bean.plain(transaction::begin);
        assertEquals(1, transactions.count(LOCK));
        bean.plain(() -> assertEquals(1, transactions.count(LOCK)));
        transaction.commit();
        assertEquals(0, transactions.count(LOCK));
    }

    @InContainer
    public void transaction_begunAndEndedInLockedMethod_leavesTheLockToTheMethod() throws Exception {
        bean.plain(() -> {
            transaction.begin();
            bean.plain(() -> assertEquals(2, transactions.count(LOCK)));
            transaction.commit();
            assertEquals(1, transactions.count(LOCK));
        });
        assertEquals(0, transactions.count(LOCK));
    }

    @InContainer
    public void transactionOfCaller_endedInLockedMethod_leavesTheLockToTheMethod() throws Exception {
        transaction.begin();
        bean.plain(() -> {
            transaction.commit();
            assertEquals(1, transactions.count(LOCK));
        });
        assertEquals(0, transactions.count(LOCK));
    }

    @InContainer
    public void secondTransaction_inOneMethod_keepsTheLockAgain() throws Exception {
        transaction.begin();
        bean.plain(() -> {
            transaction.commit();
            transaction.begin();
        });
        assertEquals(1, transactions.count(LOCK));
        transaction.commit();
        assertEquals(0, transactions.count(LOCK));
    }

    @InContainer
    public void transaction_markedForRollbackAtEntry_isNotJoined() throws Exception {
        transaction.begin();
        transaction.setRollbackOnly();
        bean.plain(() -> assertEquals(1, transactions.count(LOCK)));
        assertEquals(0, transactions.count(LOCK));
        transaction.rollback();
    }

    @InContainer
    public void transaction_markedForRollbackInside_keepsTheLock() throws Exception {
        transaction.begin();
        bean.plain(transaction::setRollbackOnly);
        assertEquals(1, transactions.count(LOCK));
        bean.plain(() -> assertEquals(1, transactions.count(LOCK)));
        transaction.rollback();
        assertEquals(0, transactions.count(LOCK));
    }

    /** The server itself gives no cause to refuse at that point. */
    @InContainer
    public void transaction_refusingToBeJoined_keepsTheMethodFromRunning() throws Exception {
        var ran = new AtomicBoolean();
        transaction.begin();
        try (var registrations = Registrations.refused(lock)) {
            assertThrows(IllegalStateException.class, () -> bean.plain(() -> ran.set(true)));
            assertEquals(1, registrations.count());
        } finally {
            transaction.rollback();
        }
        assertFalse(ran.get());
        assertEquals(0, transactions.count(LOCK));
    }

    @InContainer
    public void transactionBegunInside_refusingToBeJoined_isRolledBack() throws Exception {
        try (var registrations = Registrations.refused(lock)) {
            assertThrows(IllegalStateException.class, () -> bean.plain(transaction::begin));
            assertEquals(1, registrations.count());
            assertEquals(Status.STATUS_MARKED_ROLLBACK, transaction.getStatus());
        } finally {
            transaction.rollback();
        }
        assertEquals(0, transactions.count(LOCK));
    }
}
