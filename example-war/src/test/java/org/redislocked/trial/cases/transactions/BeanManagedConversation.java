package org.redislocked.trial.cases.transactions;

import jakarta.annotation.Resource;
import jakarta.ejb.Remove;
import jakarta.ejb.Stateful;
import jakarta.ejb.TransactionManagement;
import jakarta.ejb.TransactionManagementType;
import jakarta.transaction.UserTransaction;
import org.redislocked.RedisLocked;

/** Its transaction lasts from one call to another; in between it is suspended. */
@Stateful
@TransactionManagement(TransactionManagementType.BEAN)
public class BeanManagedConversation {

    @Resource
    UserTransaction transaction;

    @RedisLocked(value = LockedEjb.LOCK, accessTimeout = LockedBean.WAIT)
    public void begin(Work work) throws Exception {
        transaction.begin();
        work.run();
    }

    @RedisLocked(value = LockedEjb.LOCK, accessTimeout = LockedBean.WAIT)
    public void beginWithTimeout(int seconds, Work work) throws Exception {
        transaction.setTransactionTimeout(seconds);
        begin(work);
    }

    @RedisLocked(value = LockedEjb.LOCK, accessTimeout = LockedBean.WAIT)
    public void goOn(Work work) throws Exception {
        work.run();
    }

    @Remove
    @RedisLocked(value = LockedEjb.LOCK, accessTimeout = LockedBean.WAIT)
    public void commit(Work work) throws Exception {
        transaction.commit();
        work.run();
    }

    @Remove
    public void commitWithoutLock() throws Exception {
        transaction.commit();
    }

    /** Of whatever is left of it. */
    @Remove
    public void rollback() {
        try {
            transaction.rollback();
        } catch (Exception e) {
            System.out.println("Not rolled back: " + e);
        }
    }
}
