package org.redislocked.trial.cases.transactions;

import static org.junit.jupiter.api.Assertions.assertEquals;

import jakarta.ejb.EJB;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import java.util.List;
import org.redislocked.trial.InContainer;

/** Observers that are called at the end of a transaction, and take the lock that it keeps, or another one. */
@ApplicationScoped
public class TransactionalObservers {

    @Inject
    Transactions transactions;

    @Inject
    Notes notes;

    @Inject
    Caller caller;

    @EJB
    CallerEjb callerEjb;

    @Inject
    LockedBean bean;

    @Inject
    Event<Ended> ended;

    @InContainer
    public void observers_ofTransactionThatKeepsTheLock_enter() throws Exception {
        notes.take();
        caller.inTransaction(() -> {
            bean.plain(Work.NONE);
            ended.fire(new Ended());
        });
        assertAllEntered(1);
    }

    /** Their synchronization comes before the lock's own: so they are told of the end while the lock is still kept. */
    @InContainer
    public void observers_ofTransactionThatTakesTheLockLater_enter() throws Exception {
        notes.take();
        caller.inTransaction(() -> {
            ended.fire(new Ended());
            bean.plain(Work.NONE);
        });
        assertAllEntered(1);
    }

    @InContainer
    public void observers_ofTransactionOfEjb_enter() throws Exception {
        notes.take();
        callerEjb.inTransaction(() -> {
            ended.fire(new Ended());
            bean.plain(Work.NONE);
        });
        assertAllEntered(1);
    }

    @InContainer
    public void observers_ofTransactionInsideTheLock_enterAgain() throws Exception {
        notes.take();
        bean.required(() -> ended.fire(new Ended()));
        List<String> seen = notes.take().stream()
                .filter(note -> !note.contains("transaction"))
                .sorted()
                .toList();
        assertEquals(expected(2), seen);
        assertEquals(0, transactions.count(LockedBean.LOCK));
        assertEquals(0, transactions.count(OtherLockedBean.LOCK));
    }

    @InContainer
    public void observers_ofTransactionWithoutLocks_enter() throws Exception {
        notes.take();
        caller.inTransaction(() -> ended.fire(new Ended()));
        assertAllEntered(1);
    }

    private void assertAllEntered(int countOfSame) {
        assertEquals(expected(countOfSame), notes.take().stream().sorted().toList());
        assertEquals(0, transactions.count(LockedBean.LOCK));
        assertEquals(0, transactions.count(OtherLockedBean.LOCK));
    }

    private static List<String> expected(int countOfSame) {
        return List.of(
                "after success, other: entered 1",
                "after success, same: entered " + countOfSame,
                "after, other: entered 1",
                "after, same: entered " + countOfSame,
                "before, other: entered 1",
                "before, same: entered " + countOfSame);
    }
}
