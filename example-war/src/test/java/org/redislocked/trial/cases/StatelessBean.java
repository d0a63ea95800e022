package org.redislocked.trial.cases;

import jakarta.ejb.Stateless;
import jakarta.inject.Inject;
import org.redislocked.RedisLocked;
import org.redislocked.trial.Here;

/** A stateless session bean. */
@Stateless
public class StatelessBean {

    @Inject
    Here here;

    /** {@return the hold count in Redis meanwhile} */
    @RedisLocked("ejb-stateless")
    public int work() {
        return here.countInRedis("ejb-stateless");
    }
}
