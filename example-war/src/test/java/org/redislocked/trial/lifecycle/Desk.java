package org.redislocked.trial.lifecycle;

import jakarta.enterprise.context.ApplicationScoped;
import org.redislocked.RedisLocked;

/** Work under the lock, the declarative way. */
@ApplicationScoped
public class Desk {

    /** The lock of all. */
    public static final String LOCK = "desk";

    /** Does what it is given while it holds the lock. */
    @RedisLocked(LOCK)
    public void whileLocked(Runnable work) {
        work.run();
    }
}
