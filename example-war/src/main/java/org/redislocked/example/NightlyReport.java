package org.redislocked.example;

import jakarta.ejb.Schedule;
import jakarta.ejb.Stateless;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.redislocked.RedisLocked;
import org.redislocked.RedisLocked.Busy;

/**
 * Work that every node would begin at the same second, and only one may do at a time.
 *
 * <p>The nights of this shop last two seconds, so that there is something to see.
 */
@Stateless
public class NightlyReport {

    private static final String RUNS = "shop:report-runs";
    private static final int KEPT = 100;
    private static final Duration DURATION = Duration.ofMillis(1_200);

    @Inject
    Redis redis;

    @Inject
    @ConfigProperty(name = "shop.node")
    String node;

    /** Writes the report, and notes who did so from when until when, by the clock of Redis. */
    @Schedule(hour = "*", minute = "*", second = "*/2", persistent = false)
    @RedisLocked(value = Locks.REPORT, onBusy = Busy.SKIP)
    public void write() {
        long begin = redis.micros();
        Work.take(DURATION);
        redis.append(RUNS, begin + " " + redis.micros() + " " + node, KEPT);
    }

    /** {@return the last runs of all nodes, each as begin, end (both in microseconds) and node} */
    public List<String> runs() {
        return redis.list(RUNS);
    }
}
