package org.redislocked.trial.cases.transactions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.transaction.Status;
import jakarta.transaction.UserTransaction;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.redislocked.trial.Here;
import org.redislocked.trial.InContainer;

/** Transactions that take too long. WildFly's reaper ends them on its own thread, the others only mark them for rollback. */
@ApplicationScoped
public class TransactionTimeouts {

    private static final String LOCK = LockedBean.LOCK;
    private static final Duration LONG_ENOUGH = Duration.ofSeconds(30);

    @Inject
    Here here;

    @Inject
    Transactions transactions;

    @Inject
    LockedBean bean;

    @Inject
    Instance<BeanManagedConversation> conversations;

    @Inject
    UserTransaction transaction;

    @InContainer
    public void timeout_whileMethodRuns_leavesTheLockToTheMethod() throws Exception {
        begin();
        Ending ending = transactions.watch(LOCK);
        bean.plain(() -> {
            awaitTimeout(ending);
            assertEquals(endsOnItsOwn(), ending.isOver());
            assertEquals(1, transactions.count(LOCK));
            Thread.sleep(200); // the lock's own may be told after ours
            assertEquals(1, transactions.count(LOCK));
        });
        assertEquals(ending.isOver() ? 0 : 1, transactions.count(LOCK));
        transaction.rollback();
        assertEquals(0, transactions.count(LOCK));
    }

    @InContainer
    public void timeout_afterMethod_releases() throws Exception {
        begin();
        Ending ending = transactions.watch(LOCK);
        bean.plain(Work.NONE);
        assertEquals(1, transactions.count(LOCK));
        awaitTimeout(ending);
        if (endsOnItsOwn()) {
            assertTrue(ending.thread() != Thread.currentThread());
            assertTrue(Waiting.until(LONG_ENOUGH, () -> transactions.count(LOCK) == 0));
        } else {
            assertEquals(1, transactions.count(LOCK));
        }
        transaction.rollback();
        assertEquals(0, transactions.count(LOCK));
    }

    /** Nobody works in it then. */
    @InContainer
    public void timeout_ofSuspendedTransaction_releases() throws Exception {
        BeanManagedConversation conversation = conversations.get();
        var ending = new AtomicReference<Ending>();
        conversation.beginWithTimeout(1, () -> ending.set(transactions.watch(LockedEjb.LOCK)));
        assertEquals(1, transactions.count(LockedEjb.LOCK));
        boolean over = Waiting.until(Duration.ofSeconds(5), ending.get()::isOver);
        assertEquals(endsOnItsOwn(), over);
        if (over) {
            assertTrue(Waiting.until(LONG_ENOUGH, () -> transactions.count(LockedEjb.LOCK) == 0));
        } else {
            assertEquals(1, transactions.count(LockedEjb.LOCK));
        }
        conversation.rollback();
        assertEquals(0, transactions.count(LockedEjb.LOCK));
    }

    private void begin() throws Exception {
        transaction.setTransactionTimeout(1);
        try {
            transaction.begin();
        } finally {
            transaction.setTransactionTimeout(0); // the default, for the next one of this thread
        }
    }

    private boolean endsOnItsOwn() {
        return here.server().equals("wildfly");
    }

    private void awaitTimeout(Ending ending) throws Exception {
        assertTrue(Waiting.until(LONG_ENOUGH, () -> ending.isOver() || transactions.status() != Status.STATUS_ACTIVE));
        Waiting.until(Duration.ofSeconds(3), ending::isOver);
    }
}
