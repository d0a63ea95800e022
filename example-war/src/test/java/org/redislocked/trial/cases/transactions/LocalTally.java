package org.redislocked.trial.cases.transactions;

import jakarta.ejb.Local;
import jakarta.ejb.Stateful;
import org.redislocked.RedisLocked;

/** With a local business view only. */
@Stateful
@Local(Tally.class)
public class LocalTally implements Tally {

    private int total;

    @Override
    @RedisLocked(value = LockedEjb.LOCK, accessTimeout = RedisLocked.IMMEDIATE)
    public void add(Work work) throws Exception {
        total++;
        work.run();
    }

    @Override
    public int total() {
        return total;
    }
}
