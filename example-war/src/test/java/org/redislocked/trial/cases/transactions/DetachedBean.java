package org.redislocked.trial.cases.transactions;

import org.redislocked.RedisLocked;

/** The stereotype says which transaction its methods have. */
@Detached
public class DetachedBean {

    @RedisLocked(value = LockedBean.LOCK, accessTimeout = LockedBean.WAIT)
    public void call(Work work) throws Exception {
        work.run();
    }

    public void run(Work work) throws Exception {
        work.run();
    }
}
