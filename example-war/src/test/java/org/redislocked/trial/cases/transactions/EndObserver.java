package org.redislocked.trial.cases.transactions;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.event.TransactionPhase;
import jakarta.inject.Inject;

/** Takes both locks when a transaction ends. */
@ApplicationScoped
public class EndObserver {

    @Inject
    LockedBean same;

    @Inject
    OtherLockedBean other;

    @Inject
    Transactions transactions;

    @Inject
    Notes notes;

    public void before(@Observes(during = TransactionPhase.BEFORE_COMPLETION) Ended event) {
        note("before");
    }

    public void afterSuccess(@Observes(during = TransactionPhase.AFTER_SUCCESS) Ended event) {
        note("after success");
    }

    public void after(@Observes(during = TransactionPhase.AFTER_COMPLETION) Ended event) {
        note("after");
    }

    private void note(String phase) {
        notes.add(phase + ", same: " + enter(same::plain, LockedBean.LOCK));
        notes.add(phase + ", other: " + enter(other::plain, OtherLockedBean.LOCK));
    }

    private String enter(CdiTransactions.Method method, String lock) {
        String[] seen = new String[1];
        try {
            method.call(() -> seen[0] = "entered " + transactions.count(lock));
        } catch (Exception e) {
            e.printStackTrace(); // into the server's log
            seen[0] = e.toString();
        }
        return seen[0];
    }
}
