package org.redislocked.trial.cases.transactions;

import jakarta.ejb.Stateless;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import org.redislocked.RedisLocked;

/** All its methods have one lock, and different ideas of transactions, which begin outside the lock. */
@Stateless
public class LockedEjb {

    static final String LOCK = "transactions-ejb";

    @RedisLocked(value = LOCK, accessTimeout = LockedBean.WAIT)
    public void required(Work work) throws Exception {
        work.run();
    }

    @TransactionAttribute(TransactionAttributeType.MANDATORY)
    @RedisLocked(value = LOCK, accessTimeout = LockedBean.WAIT)
    public void mandatory(Work work) throws Exception {
        work.run();
    }

    @TransactionAttribute(TransactionAttributeType.REQUIRES_NEW)
    @RedisLocked(value = LOCK, accessTimeout = LockedBean.WAIT)
    public void requiresNew(Work work) throws Exception {
        work.run();
    }

    @TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
    @RedisLocked(value = LOCK, accessTimeout = LockedBean.WAIT)
    public void notSupported(Work work) throws Exception {
        work.run();
    }

    @TransactionAttribute(TransactionAttributeType.NEVER)
    @RedisLocked(value = LOCK, accessTimeout = LockedBean.WAIT)
    public void never(Work work) throws Exception {
        work.run();
    }
}
