package org.redislocked.trial.cases.transactions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedExecutorService;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.transaction.Status;
import jakarta.transaction.UserTransaction;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.redislocked.LockName;
import org.redislocked.RedisLockLostException;
import org.redislocked.RedisLockTimeoutException;
import org.redislocked.RedisLockUnavailableException;
import org.redislocked.ReentrantRedisLock;
import org.redislocked.trial.Here;
import org.redislocked.trial.InContainer;

/** The library's exceptions at EJBs: they reach the caller as they are, and leave a stateful bean alive. */
@ApplicationScoped
public class EjbExceptions {

    private static final String LOCK = LockedEjb.LOCK;
    private static final String KEY = "redis-lock:" + LOCK;

    @Inject
    Here here;

    @Inject
    Instance<Tally> localViews;

    @Inject
    Instance<PlainTally> plainViews;

    @Inject
    @LockName(LOCK)
    ReentrantRedisLock lock;

    @Inject
    UserTransaction transaction;

    @Resource
    ManagedExecutorService executor;

    @InContainer
    public void timeout_throughLocalView_leavesStatefulBeanAlive() throws Exception {
        Tally tally = localViews.get();
        timesOut(tally::add);
        goesOn(tally::add);
        assertEquals(1, tally.total());
    }

    @InContainer
    public void timeout_throughNoInterfaceView_leavesStatefulBeanAlive() throws Exception {
        PlainTally tally = plainViews.get();
        timesOut(tally::add);
        goesOn(tally::add);
        assertEquals(1, tally.total());
    }

    @InContainer
    public void lost_throughLocalView_leavesStatefulBeanAlive() throws Exception {
        Tally tally = localViews.get();
        losesLock(tally::add);
        goesOn(tally::add);
        assertEquals(2, tally.total());
    }

    @InContainer
    public void lost_throughNoInterfaceView_leavesStatefulBeanAlive() throws Exception {
        PlainTally tally = plainViews.get();
        losesLock(tally::add);
        goesOn(tally::add);
        assertEquals(2, tally.total());
    }

    @InContainer
    public void unavailable_throughLocalView_leavesStatefulBeanAlive() throws Exception {
        Tally tally = localViews.get();
        isRefused(tally::add);
        goesOn(tally::add);
        assertEquals(1, tally.total());
    }

    @InContainer
    public void unavailable_throughNoInterfaceView_leavesStatefulBeanAlive() throws Exception {
        PlainTally tally = plainViews.get();
        isRefused(tally::add);
        goesOn(tally::add);
        assertEquals(1, tally.total());
    }

    @InContainer
    public void timeout_inTransactionOfCaller_marksItForRollback() throws Exception {
        PlainTally tally = plainViews.get();
        transaction.begin();
        try {
            timesOut(tally::add);
            assertEquals(Status.STATUS_MARKED_ROLLBACK, transaction.getStatus());
        } finally {
            transaction.rollback();
        }
    }

    private void timesOut(CdiTransactions.Method method) throws Exception {
        var locked = new CountDownLatch(1);
        var done = new CountDownLatch(1);
        var holder = executor.submit(() -> {
            lock.lock();
            try {
                locked.countDown();
                return done.await(30, TimeUnit.SECONDS);
            } finally {
                lock.unlock();
            }
        });
        locked.await();
        try {
            assertThrows(RedisLockTimeoutException.class, () -> method.call(Work.NONE));
        } finally {
            done.countDown();
            holder.get();
        }
    }

    /** In a transaction of its own the method's exit does not see the loss, but a further entry into the hold does. */
    private void losesLock(CdiTransactions.Method method) {
        assertThrows(
                RedisLockLostException.class,
                () -> method.call(() -> {
                    here.redis().del(KEY);
                    lock.lock();
                }));
    }

    private void isRefused(CdiTransactions.Method method) {
        here.redis().set(KEY, "not a lock");
        try {
            assertThrows(RedisLockUnavailableException.class, () -> method.call(Work.NONE));
        } finally {
            here.redis().del(KEY);
        }
    }

    private void goesOn(CdiTransactions.Method method) throws Exception {
        method.call(() -> assertEquals(1, here.countInRedis(LOCK)));
        assertEquals(0, here.countInRedis(LOCK));
    }
}
