package org.redislocked.trial.cases.transactions;

import jakarta.annotation.Resource;
import jakarta.ejb.Stateless;
import jakarta.ejb.TransactionManagement;
import jakarta.ejb.TransactionManagementType;
import jakarta.transaction.UserTransaction;
import org.redislocked.RedisLocked;

/** Begins and commits its transaction itself, under the lock. */
@Stateless
@TransactionManagement(TransactionManagementType.BEAN)
public class BeanManagedEjb {

    @Resource
    UserTransaction transaction;

    @RedisLocked(value = LockedEjb.LOCK, accessTimeout = LockedBean.WAIT)
    public void call(Work inside, Work afterCommit) throws Exception {
        transaction.begin();
        inside.run();
        transaction.commit();
        afterCommit.run();
    }
}
