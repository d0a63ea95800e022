package org.redislocked.trial.cases.transactions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.redislocked.LockName;
import org.redislocked.ReentrantRedisLock;
import org.redislocked.trial.InContainer;

/** {@code @RedisLocked} on CDI beans, and transactions by {@code @Transactional}. */
@ApplicationScoped
public class CdiTransactions {

    private static final String LOCK = LockedBean.LOCK;

    @Inject
    Transactions transactions;

    @Inject
    Notes notes;

    @Inject
    Caller caller;

    @Inject
    LockedBean bean;

    @Inject
    OwnTransactionBean own;

    @Inject
    DetachedBean detached;

    @Inject
    @LockName(LOCK)
    ReentrantRedisLock lock;

    @InContainer
    public void transactionalMethod_called_locksBeforeBeginAndReleasesAfterCommit() throws Exception {
        notes.take();
        var ending = new AtomicReference<Ending>();
        bean.required(() -> {
            assertTrue(transactions.isRunning());
            ending.set(transactions.watch(LOCK));
        });
        assertEquals(List.of("before: entered 1, no transaction", "after: entered 1, no transaction"), notes.take());
        assertEquals(1, ending.get().countBefore());
        assertEquals(1, ending.get().countAfter());
        assertEquals(0, transactions.count(LOCK));
    }

    @InContainer
    public void transactionalMethod_called_registersNothing() throws Exception {
        try (var registrations = Registrations.counted(lock)) {
            bean.required(Work.NONE);
            assertEquals(0, registrations.count());
        }
    }

    @InContainer
    public void call_inTransactionOfCaller_isLockedUntilAfterItsEnd() throws Exception {
        staysLocked(bean::plain);
    }

    @InContainer
    public void requiredMethod_inTransactionOfCaller_isLockedUntilAfterItsEnd() throws Exception {
        staysLocked(bean::required);
    }

    @InContainer
    public void mandatoryMethod_inTransactionOfCaller_isLockedUntilAfterItsEnd() throws Exception {
        staysLocked(bean::mandatory);
    }

    @InContainer
    public void supportingMethod_inTransactionOfCaller_isLockedUntilAfterItsEnd() throws Exception {
        staysLocked(bean::supports);
    }

    @InContainer
    public void supportingMethod_withoutTransaction_isReleasedAtItsExit() throws Exception {
        bean.supports(() -> assertEquals(1, transactions.count(LOCK)));
        assertEquals(0, transactions.count(LOCK));
    }

    /** A method that works in another transaction than its caller, or in none, has nothing that the caller commits. */
    @InContainer
    public void requiresNewMethod_inTransactionOfCaller_isReleasedAtItsExit() throws Exception {
        isReleasedAtExit(bean::requiresNew);
    }

    @InContainer
    public void requiresNewOnClass_inTransactionOfCaller_isReleasedAtItsExit() throws Exception {
        isReleasedAtExit(own::call);
    }

    @InContainer
    public void notSupportedMethod_inTransactionOfCaller_isReleasedAtItsExit() throws Exception {
        isReleasedAtExit(bean::notSupported);
    }

    @InContainer
    public void notSupportedByStereotype_inTransactionOfCaller_isReleasedAtItsExit() throws Exception {
        isReleasedAtExit(detached::call);
    }

    @InContainer
    public void requiresNewMethod_called_isReleasedAfterItsCommit() throws Exception {
        caller.inTransaction(() -> {
            var ending = new AtomicReference<Ending>();
            bean.requiresNew(() -> ending.set(transactions.watch(LOCK)));
            assertEquals(1, ending.get().countAfter());
        });
    }

    @InContainer
    public void neverMethod_inTransactionOfCaller_isRefusedAndReleased() throws Exception {
        var ran = new AtomicBoolean();
        caller.inTransaction(() -> {
            assertThrows(Exception.class, () -> bean.never(() -> ran.set(true)));
            assertEquals(0, transactions.count(LOCK));
        });
        assertFalse(ran.get());
    }

    @InContainer
    public void neverMethod_withoutTransaction_isReleasedAtItsExit() throws Exception {
        bean.never(() -> assertEquals(1, transactions.count(LOCK)));
        assertEquals(0, transactions.count(LOCK));
    }

    @InContainer
    public void calls_inOneTransaction_enterAgain() throws Exception {
        caller.inTransaction(() -> {
            bean.plain(() -> bean.plain(() -> assertEquals(2, transactions.count(LOCK))));
            assertEquals(1, transactions.count(LOCK));
            bean.plain(() -> assertEquals(1, transactions.count(LOCK)));
            assertEquals(1, transactions.count(LOCK));
        });
        assertEquals(0, transactions.count(LOCK));
    }

    @InContainer
    public void plainLock_afterCallInOneTransaction_isEntered() throws Exception {
        caller.inTransaction(() -> {
            bean.plain(Work.NONE);
            assertTrue(lock.tryLock());
            assertTrue(lock.isHeldByCurrentThread());
            lock.unlock();
            assertFalse(lock.isHeldByCurrentThread());
            assertEquals(1, transactions.count(LOCK));
        });
        assertEquals(0, transactions.count(LOCK));
    }

    /** What the transaction keeps is not the thread's: a method outside the transaction has to wait like any other. */
    @InContainer
    public void methodWithoutTransaction_whileCallersTransactionKeepsTheLock_doesNotEnter() throws Exception {
        caller.inTransaction(() -> {
            bean.plain(Work.NONE);
            detached.run(() -> assertFalse(lock.tryLock()));
        });
    }

    @InContainer
    public void thousandCalls_inOneTransaction_registerOnce() throws Exception {
        try (var registrations = Registrations.counted(lock)) {
            caller.inTransaction(() -> {
                for (int i = 0; i < 1000; i++) {
                    bean.plain(Work.NONE);
                    assertEquals(1, transactions.count(LOCK), "call " + i);
                }
            });
            assertEquals(1, registrations.count());
        }
        assertEquals(0, transactions.count(LOCK));
    }

    @InContainer
    public void callThatThrows_inTransactionOfCaller_isReleasedAfterTheRollback() throws Exception {
        var endings = new ArrayList<Ending>();
        assertThrows(
                UnsupportedOperationException.class,
                () -> caller.inTransaction(() -> {
                    endings.add(transactions.watch(LOCK));
                    bean.plain(() -> {
                        endings.add(transactions.watch(LOCK));
                        throw new UnsupportedOperationException();
                    });
                }));
        assertEquals(1, endings.get(0).countAfter() + endings.get(1).countAfter());
        assertEquals(0, transactions.count(LOCK));
    }

    private void staysLocked(Method method) throws Exception {
        var endings = new ArrayList<Ending>();
        caller.inTransaction(() -> {
            endings.add(transactions.watch(LOCK));
            method.call(() -> assertEquals(1, transactions.count(LOCK)));
            endings.add(transactions.watch(LOCK));
            assertEquals(1, transactions.count(LOCK));
        });
        assertKeptUntilEnd(endings);
    }

    /** One of both was told before the lock's own synchronization; which one, is the server's choice. */
    private void assertKeptUntilEnd(List<Ending> aroundOwn) {
        aroundOwn.forEach(ending -> assertEquals(1, ending.countBefore()));
        assertEquals(1, aroundOwn.get(0).countAfter() + aroundOwn.get(1).countAfter());
        assertEquals(0, transactions.count(LOCK));
    }

    private void isReleasedAtExit(Method method) throws Exception {
        caller.inTransaction(() -> {
            method.call(() -> assertEquals(1, transactions.count(LOCK)));
            assertEquals(0, transactions.count(LOCK));
        });
    }

    /** One that is locked. */
    @FunctionalInterface
    interface Method {
        void call(Work work) throws Exception;
    }
}
