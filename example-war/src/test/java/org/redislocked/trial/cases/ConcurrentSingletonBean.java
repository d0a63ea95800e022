package org.redislocked.trial.cases;

import jakarta.ejb.ConcurrencyManagement;
import jakarta.ejb.ConcurrencyManagementType;
import jakarta.ejb.Singleton;
import jakarta.inject.Inject;
import java.util.concurrent.atomic.AtomicInteger;
import org.redislocked.RedisLocked;
import org.redislocked.trial.Here;

/** A singleton that is called by several threads at once, but for our lock. */
@Singleton
@ConcurrencyManagement(ConcurrencyManagementType.BEAN)
public class ConcurrentSingletonBean {

    private final AtomicInteger inside = new AtomicInteger();

    @Inject
    Here here;

    /** {@return the hold count in Redis meanwhile, or 1,000 if another thread is here, too} */
    @RedisLocked("ejb-concurrent-singleton")
    public int work() throws InterruptedException {
        boolean alone = inside.incrementAndGet() == 1;
        try {
            Thread.sleep(20);
            return alone ? here.countInRedis("ejb-concurrent-singleton") : 1_000;
        } finally {
            inside.decrementAndGet();
        }
    }
}
