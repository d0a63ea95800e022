package org.redislocked.trial.cases;

import jakarta.annotation.Resource;
import jakarta.ejb.ConcurrencyManagement;
import jakarta.ejb.ConcurrencyManagementType;
import jakarta.ejb.Schedule;
import jakarta.ejb.Singleton;
import jakarta.ejb.Timeout;
import jakarta.ejb.Timer;
import jakarta.ejb.TimerConfig;
import jakarta.ejb.TimerService;
import jakarta.inject.Inject;
import java.util.concurrent.CompletableFuture;
import org.redislocked.LockName;
import org.redislocked.RedisLocked;
import org.redislocked.ReentrantRedisLock;
import org.redislocked.trial.Here;

/** Called by timers. */
@Singleton
@ConcurrencyManagement(ConcurrencyManagementType.BEAN)
public class TimerBean {

    private static final String FORGET = "forget";

    private final CompletableFuture<Integer> scheduled = new CompletableFuture<>();
    private volatile CompletableFuture<Integer> timedOut = new CompletableFuture<>();

    @Inject
    Here here;

    @Inject
    @LockName("leak-timer")
    ReentrantRedisLock left;

    @Resource
    TimerService timers;

    @Schedule(hour = "*", minute = "*", second = "*", persistent = false)
    @RedisLocked("ejb-schedule")
    void everySecond(Timer timer) {
        scheduled.complete(here.countInRedis("ejb-schedule"));
        timer.cancel(); // once is enough, and leaves the log to others
    }

    @Timeout
    @RedisLocked("ejb-timeout")
    void timeout(Timer timer) {
        if (FORGET.equals(timer.getInfo())) {
            left.lock();
        }
        timedOut.complete(here.countInRedis("ejb-timeout"));
    }

    /** {@return the hold count in Redis meanwhile, once the schedule has come to pass} */
    public CompletableFuture<Integer> scheduled() {
        return scheduled;
    }

    /** {@return the hold count in Redis meanwhile, when the time is out} */
    public CompletableFuture<Integer> timeOut() {
        return timer("");
    }

    /** As {@link #timeOut()}, but a lock is left behind. */
    public CompletableFuture<Integer> timeOutAndForget() {
        return timer(FORGET);
    }

    private CompletableFuture<Integer> timer(String info) {
        var next = new CompletableFuture<Integer>();
        timedOut = next;
        timers.createSingleActionTimer(10, new TimerConfig(info, false));
        return next;
    }
}
