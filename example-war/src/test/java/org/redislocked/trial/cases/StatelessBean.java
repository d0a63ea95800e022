package org.redislocked.trial.cases;

import jakarta.ejb.Stateless;
import jakarta.inject.Inject;
import org.redislocked.LockName;
import org.redislocked.RedisLocked;
import org.redislocked.ReentrantRedisLock;
import org.redislocked.trial.Here;

/** A stateless session bean. */
@Stateless
public class StatelessBean {

    @Inject
    Here here;

    @Inject
    @LockName("leak-outer")
    ReentrantRedisLock reentered;

    /** Enters a lock that the caller has perhaps entered, too. */
    public void reenter() {
        reentered.lock();
        reentered.unlock();
    }

    /** {@return the hold count in Redis meanwhile} */
    @RedisLocked("ejb-stateless")
    public int work() {
        return here.countInRedis("ejb-stateless");
    }
}
