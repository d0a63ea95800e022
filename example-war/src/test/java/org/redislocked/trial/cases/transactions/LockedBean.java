package org.redislocked.trial.cases.transactions;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import org.redislocked.RedisLocked;

/** All its methods have one lock, and different ideas of transactions. */
@ApplicationScoped
public class LockedBean {

    static final String LOCK = "transactions-bean";
    static final int WAIT = 5;
    static final int LEASE_MILLIS = 500;

    @RedisLocked(value = LOCK, accessTimeout = WAIT)
    public void plain(Work work) throws Exception {
        work.run();
    }

    @RedisLocked(value = LOCK, accessTimeout = WAIT, leaseTime = LEASE_MILLIS, leaseTimeUnit = MILLISECONDS)
    public void leased(Work work) throws Exception {
        work.run();
    }

    @Noted
    @Transactional
    @RedisLocked(value = LOCK, accessTimeout = WAIT)
    public void required(Work work) throws Exception {
        work.run();
    }

    @Transactional(TxType.MANDATORY)
    @RedisLocked(value = LOCK, accessTimeout = WAIT)
    public void mandatory(Work work) throws Exception {
        work.run();
    }

    @Transactional(TxType.SUPPORTS)
    @RedisLocked(value = LOCK, accessTimeout = WAIT)
    public void supports(Work work) throws Exception {
        work.run();
    }

    @Transactional(TxType.REQUIRES_NEW)
    @RedisLocked(value = LOCK, accessTimeout = WAIT)
    public void requiresNew(Work work) throws Exception {
        work.run();
    }

    @Transactional(TxType.NOT_SUPPORTED)
    @RedisLocked(value = LOCK, accessTimeout = WAIT)
    public void notSupported(Work work) throws Exception {
        work.run();
    }

    @Transactional(TxType.NEVER)
    @RedisLocked(value = LOCK, accessTimeout = WAIT)
    public void never(Work work) throws Exception {
        work.run();
    }
}
