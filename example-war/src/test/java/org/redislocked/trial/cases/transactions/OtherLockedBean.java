package org.redislocked.trial.cases.transactions;

import jakarta.enterprise.context.ApplicationScoped;
import org.redislocked.RedisLocked;

/** Has another lock. */
@ApplicationScoped
public class OtherLockedBean {

    static final String LOCK = "transactions-other";

    @RedisLocked(value = LOCK, accessTimeout = LockedBean.WAIT)
    public void plain(Work work) throws Exception {
        work.run();
    }
}
