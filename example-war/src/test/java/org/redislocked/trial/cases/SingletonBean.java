package org.redislocked.trial.cases;

import jakarta.ejb.Singleton;
import jakarta.inject.Inject;
import org.redislocked.RedisLocked;
import org.redislocked.trial.Here;

/** A singleton whose calls the container lets in one by one. */
@Singleton
public class SingletonBean {

    @Inject
    Here here;

    /** {@return the hold count in Redis meanwhile} */
    @RedisLocked("ejb-singleton")
    public int work() {
        return here.countInRedis("ejb-singleton");
    }
}
