package org.redislocked.trial.cases.transactions;

import jakarta.ejb.Remove;
import jakarta.ejb.Stateful;
import org.redislocked.RedisLocked;

/** Works in the transaction of its caller, which lasts for several calls. */
@Stateful
public class LockedConversation {

    @RedisLocked(value = LockedEjb.LOCK, accessTimeout = LockedBean.WAIT)
    public void call(Work work) throws Exception {
        work.run();
    }

    @Remove
    public void end() {}
}
