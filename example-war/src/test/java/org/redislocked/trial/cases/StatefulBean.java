package org.redislocked.trial.cases;

import jakarta.annotation.PostConstruct;
import jakarta.ejb.PostActivate;
import jakarta.ejb.PrePassivate;
import jakarta.ejb.Remove;
import jakarta.ejb.Stateful;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import jakarta.inject.Inject;
import java.io.Serializable;
import org.redislocked.LockName;
import org.redislocked.RedisLocked;
import org.redislocked.ReentrantRedisLock;
import org.redislocked.trial.Here;

/** A stateful session bean, which a server may passivate. */
@Stateful
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class StatefulBean implements Serializable {

    private static final long serialVersionUID = 1L;

    @Inject
    Here here;

    @Inject
    @LockName("ejb-stateful-injected")
    @SuppressWarnings("serial") // the lock is serializable, although its interface does not say so
    ReentrantRedisLock injected;

    @SuppressWarnings("serial")
    private ReentrantRedisLock joining;

    private int passivated;
    private int activated;

    @PostConstruct
    void take() {
        joining = injected.joiningTransaction();
    }

    @PrePassivate
    void passivate() {
        passivated++;
    }

    @PostActivate
    void activate() {
        activated++;
    }

    /** {@return the hold count in Redis meanwhile} */
    @RedisLocked("ejb-stateful")
    public int work() {
        return here.countInRedis("ejb-stateful");
    }

    /** {@return the hold count in Redis when both locks in fields have been entered} */
    public int useLocks() {
        injected.lock();
        joining.lock();
        try {
            return here.countInRedis("ejb-stateful-injected");
        } finally {
            joining.unlock();
            injected.unlock();
        }
    }

    /** {@return how often it was away and came back} */
    public int timesActivated() {
        return Math.min(passivated, activated);
    }

    /** {@return the lock in its field} */
    public ReentrantRedisLock injected() {
        return injected;
    }

    /** {@return the view in its field} */
    public ReentrantRedisLock joining() {
        return joining;
    }

    @Remove
    public void end() {}
}
