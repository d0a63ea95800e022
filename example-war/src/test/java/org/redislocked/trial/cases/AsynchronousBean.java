package org.redislocked.trial.cases;

import jakarta.ejb.AsyncResult;
import jakarta.ejb.Asynchronous;
import jakarta.ejb.Stateless;
import jakarta.inject.Inject;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.redislocked.LockName;
import org.redislocked.RedisLocked;
import org.redislocked.ReentrantRedisLock;
import org.redislocked.trial.Here;

/** A session bean whose methods run on other threads, each with a request context of its own. */
@Stateless
public class AsynchronousBean {

    @Inject
    Here here;

    @Inject
    @LockName("leak-ejb")
    ReentrantRedisLock left;

    @Inject
    @LockName("leak-ejb-joined")
    ReentrantRedisLock joined;

    /** {@return the hold count in Redis meanwhile} */
    @Asynchronous
    @RedisLocked("ejb-asynchronous-future")
    public Future<Integer> future() {
        return new AsyncResult<>(here.countInRedis("ejb-asynchronous-future"));
    }

    /** Tells the hold count in Redis. */
    @Asynchronous
    @RedisLocked("ejb-asynchronous-void")
    public void tell(CompletableFuture<Integer> count) {
        count.complete(here.countInRedis("ejb-asynchronous-void"));
    }

    /** {@return the hold count in Redis, of a lock that it forgets to unlock} */
    @Asynchronous
    public Future<Integer> forget() {
        left.lock();
        return new AsyncResult<>(here.countInRedis("leak-ejb"));
    }

    /** {@return the hold count in Redis, of a lock that the transaction of this call keeps until its end} */
    @Asynchronous
    public Future<Integer> leaveToTransaction() {
        ReentrantRedisLock lock = joined.joiningTransaction();
        lock.lock();
        lock.unlock();
        return new AsyncResult<>(here.countInRedis("leak-ejb-joined"));
    }
}
