package org.redislocked.trial.cases.transactions;

import jakarta.transaction.Synchronization;
import redis.clients.jedis.RedisClient;

/** What a transaction sees of a lock at its end, on whatever thread that comes. */
public final class Ending implements Synchronization {

    private static final int NEVER = -1;

    private final RedisClient redis;
    private final String lock;
    private volatile int countBefore = NEVER;
    private volatile int countAfter = NEVER;
    private volatile long leaseMillisBefore = NEVER;
    private volatile Thread thread;

    Ending(RedisClient redis, String lock) {
        this.redis = redis;
        this.lock = lock;
    }

    @Override
    public void beforeCompletion() {
        countBefore = count();
        leaseMillisBefore = redis.pttl("redis-lock:" + lock);
    }

    @Override
    public void afterCompletion(int status) {
        thread = Thread.currentThread();
        countAfter = count();
    }

    private int count() {
        return redis.hvals("redis-lock:" + lock).stream()
                .mapToInt(Integer::parseInt)
                .sum();
    }

    /** {@return the hold count before the commit; -1 if there was none} */
    public int countBefore() {
        return countBefore;
    }

    /** {@return the hold count after the end; -1 if that was not told} */
    public int countAfter() {
        return countAfter;
    }

    /** {@return what was left of the lease before the commit} */
    public long leaseMillisBefore() {
        return leaseMillisBefore;
    }

    public boolean isOver() {
        return countAfter != NEVER;
    }

    /** {@return who told of the end} */
    public Thread thread() {
        return thread;
    }
}
