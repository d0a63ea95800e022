package org.redislocked.trial.cases.transactions;

import jakarta.ejb.Stateful;
import org.redislocked.RedisLocked;

/** With a no-interface view. */
@Stateful
public class PlainTally {

    private int total;

    @RedisLocked(value = LockedEjb.LOCK, accessTimeout = RedisLocked.IMMEDIATE)
    public void add(Work work) throws Exception {
        total++;
        work.run();
    }

    public int total() {
        return total;
    }
}
