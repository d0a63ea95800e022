package org.redislocked.example;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * What there is to sell, kept in Redis for all nodes: read, thought about, written back.
 *
 * <p>Nothing in here protects the stock. That is the callers' task, and the reason for this example.
 */
@ApplicationScoped
public class Stock {

    private static final String LEFT = "shop:left";
    private static final String DELIVERED = "shop:delivered";
    private static final String SOLD = "shop:sold";

    @Inject
    Redis redis;

    /** Begins a new day with this many pieces. */
    public void deliver(long pieces) {
        redis.set(SOLD, 0);
        redis.set(DELIVERED, pieces);
        redis.set(LEFT, pieces);
    }

    /** {@return whether there was a piece left for this customer} */
    public boolean sellOne() {
        long left = redis.get(LEFT);
        if (left <= 0) {
            return false;
        }
        think();
        redis.set(LEFT, left - 1);
        redis.increment(SOLD);
        return true;
    }

    /** {@return how many pieces the books say are left} */
    public long left() {
        return redis.get(LEFT);
    }

    /** {@return how many customers were told that they have a piece} */
    public long sold() {
        return redis.get(SOLD);
    }

    /** {@return how many of them will get none} */
    public long oversold() {
        return Math.max(0, redis.get(SOLD) - redis.get(DELIVERED));
    }

    /** What a real shop does here: check the customer, reserve the payment. */
    private static void think() {
        Work.take(Duration.ofMillis(ThreadLocalRandom.current().nextLong(4, 12)));
    }
}
