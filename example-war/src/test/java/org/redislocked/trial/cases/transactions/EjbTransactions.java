package org.redislocked.trial.cases.transactions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import jakarta.ejb.EJB;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.transaction.UserTransaction;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.redislocked.LockName;
import org.redislocked.ReentrantRedisLock;
import org.redislocked.trial.InContainer;

/** {@code @RedisLocked} on EJBs, where the container begins the transaction before it calls interceptors. */
@ApplicationScoped
public class EjbTransactions {

    private static final String LOCK = LockedEjb.LOCK;

    @Inject
    Transactions transactions;

    @EJB
    CallerEjb caller;

    @EJB
    LockedEjb ejb;

    @EJB
    BeanManagedEjb beanManaged;

    @Inject
    Instance<BeanManagedConversation> beanManagedConversations;

    @Inject
    Instance<LockedConversation> conversations;

    @Inject
    UserTransaction userTransaction;

    @Inject
    @LockName(LOCK)
    ReentrantRedisLock lock;

    @InContainer
    public void requiredMethod_withTransactionOfItsOwn_isLockedUntilItsEnd() throws Exception {
        keepsUntilEndOfItsTransaction(ejb::required);
    }

    @InContainer
    public void requiredMethod_inTransactionOfCaller_isLockedUntilAfterItsEnd() throws Exception {
        staysLocked(ejb::required);
    }

    @InContainer
    public void mandatoryMethod_inTransactionOfCaller_isLockedUntilAfterItsEnd() throws Exception {
        staysLocked(ejb::mandatory);
    }

    /** Other than on a CDI bean: the transaction is the method's, but begins and ends outside the lock's interceptor. */
    @InContainer
    public void requiresNewMethod_inTransactionOfCaller_isLockedUntilTheEndOfItsOwn() throws Exception {
        caller.inTransaction(() -> keepsUntilEndOfItsTransaction(ejb::requiresNew));
    }

    @InContainer
    public void notSupportedMethod_inTransactionOfCaller_isReleasedAtItsExit() throws Exception {
        caller.inTransaction(() -> {
            ejb.notSupported(() -> {
                assertFalse(transactions.isRunning());
                assertEquals(1, transactions.count(LOCK));
            });
            assertEquals(0, transactions.count(LOCK));
        });
    }

    /** Refused before the lock was asked for. */
    @InContainer
    public void neverMethod_inTransactionOfCaller_isRefused() throws Exception {
        var ran = new AtomicBoolean();
        userTransaction.begin();
        try {
            assertThrows(Exception.class, () -> ejb.never(() -> ran.set(true)));
            assertEquals(0, transactions.count(LOCK));
        } finally {
            userTransaction.rollback();
        }
        assertFalse(ran.get());
    }

    @InContainer
    public void neverMethod_withoutTransaction_isReleasedAtItsExit() throws Exception {
        ejb.never(() -> assertEquals(1, transactions.count(LOCK)));
        assertEquals(0, transactions.count(LOCK));
    }

    @InContainer
    public void calls_inOneTransaction_enterAgain() throws Exception {
        caller.inTransaction(() -> {
            ejb.required(() -> ejb.required(() -> assertEquals(2, transactions.count(LOCK))));
            assertEquals(1, transactions.count(LOCK));
            ejb.required(() -> assertEquals(1, transactions.count(LOCK)));
            assertTrue(lock.tryLock());
            lock.unlock();
            assertEquals(1, transactions.count(LOCK));
        });
        assertEquals(0, transactions.count(LOCK));
    }

    @InContainer
    public void thousandCalls_inOneTransaction_registerOnce() throws Exception {
        try (var registrations = Registrations.counted(lock)) {
            caller.inTransaction(() -> {
                for (int i = 0; i < 1000; i++) {
                    ejb.required(Work.NONE);
                    assertEquals(1, transactions.count(LOCK), "call " + i);
                }
            });
            assertEquals(1, registrations.count());
        }
        assertEquals(0, transactions.count(LOCK));
    }

    @InContainer
    public void beanManagedMethod_committingInside_isReleasedAtItsExit() throws Exception {
        var ending = new AtomicReference<Ending>();
        beanManaged.call(() -> ending.set(transactions.watch(LOCK)), () -> assertEquals(1, transactions.count(LOCK)));
        assertEquals(1, ending.get().countAfter());
        assertEquals(0, transactions.count(LOCK));
    }

    @InContainer
    public void beanManagedTransaction_overTwoCalls_keepsTheLockBetweenThem() throws Exception {
        var ending = new AtomicReference<Ending>();
        BeanManagedConversation conversation = beanManagedConversations.get();
        conversation.begin(() -> ending.set(transactions.watch(LOCK)));
        assertFalse(transactions.isRunning());
        assertEquals(1, transactions.count(LOCK));
        assertFalse(lock.tryLock(), "it is the transaction's, which is suspended, and not the thread's");
        conversation.goOn(() -> assertEquals(1, transactions.count(LOCK)));
        assertEquals(1, transactions.count(LOCK));
        conversation.commit(() -> assertEquals(1, transactions.count(LOCK)));
        assertEquals(1, ending.get().countAfter());
        assertEquals(0, transactions.count(LOCK));
    }

    @InContainer
    public void beanManagedTransaction_endedByMethodWithoutLock_releases() throws Exception {
        BeanManagedConversation conversation = beanManagedConversations.get();
        conversation.begin(Work.NONE);
        assertEquals(1, transactions.count(LOCK));
        conversation.commitWithoutLock();
        assertEquals(0, transactions.count(LOCK));
    }

    @InContainer
    public void statefulBean_inTransactionOverTwoCalls_isLockedUntilItsEnd() throws Exception {
        LockedConversation conversation = conversations.get();
        userTransaction.begin();
        conversation.call(() -> assertEquals(1, transactions.count(LOCK)));
        assertEquals(1, transactions.count(LOCK));
        conversation.call(() -> assertEquals(1, transactions.count(LOCK)));
        assertEquals(1, transactions.count(LOCK));
        userTransaction.commit();
        assertEquals(0, transactions.count(LOCK));
        conversation.end();
    }

    private void staysLocked(CdiTransactions.Method method) throws Exception {
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

    /** The lock's interceptor is done when the transaction begins to end. */
    private void keepsUntilEndOfItsTransaction(CdiTransactions.Method method) throws Exception {
        var ending = new AtomicReference<Ending>();
        method.call(() -> ending.set(transactions.watch(LOCK)));
        assertEquals(1, ending.get().countBefore());
        assertEquals(0, transactions.count(LOCK));
    }
}
