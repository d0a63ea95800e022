package org.redislocked.trial.cases.transactions;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import org.redislocked.RedisLocked;

/** The class says which transaction its methods have. */
@ApplicationScoped
@Transactional(TxType.REQUIRES_NEW)
public class OwnTransactionBean {

    @RedisLocked(value = LockedBean.LOCK, accessTimeout = LockedBean.WAIT)
    public void call(Work work) throws Exception {
        work.run();
    }
}
