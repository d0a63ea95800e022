package org.redislocked.trial.cases;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import jakarta.annotation.Resource;
import jakarta.ejb.EJB;
import jakarta.enterprise.concurrent.ManagedExecutorService;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.RequestScoped;
import jakarta.enterprise.context.control.ActivateRequestContext;
import jakarta.enterprise.context.spi.Context;
import jakarta.enterprise.inject.spi.Bean;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.redislocked.LockName;
import org.redislocked.RedisLocked;
import org.redislocked.RedisLocks;
import org.redislocked.ReentrantRedisLock;
import org.redislocked.cdi.RequestHolds;
import org.redislocked.redis.RedisLockClient;
import org.redislocked.trial.Here;
import org.redislocked.trial.InContainer;

/** Holds that somebody has forgotten to give back do not outlast the request, and are told with their place. */
@ApplicationScoped
public class LeakCases {

    private static final int MANY = 10_000;

    @Inject
    Here here;

    @Inject
    ThisNode thisNode;

    @Inject
    RedisLocks locks;

    @Inject
    @LockName("leak-request")
    ReentrantRedisLock injected;

    @Inject
    BeanManager beans;

    @Inject
    LeakCases self;

    @Resource
    ManagedExecutorService executor;

    @EJB
    StatelessBean stateless;

    @EJB
    AsynchronousBean asynchronous;

    @EJB
    TimerBean timers;

    @Inject
    @ConfigProperty(name = "redis-lock.uri")
    String uri;

    /** A request that does not unlock. {@return its thread} */
    public long forget() {
        injected.lock();
        assertEquals(1, here.countInRedis("leak-request"));
        return Thread.currentThread().getId();
    }

    /** A request. {@return its thread, and how often that has entered the lock when it comes} */
    public String look() {
        return Thread.currentThread().getId() + ":" + injected.getHoldCount();
    }

    @InContainer
    public void hold_leftByRequest_isReleasedAndToldWithItsPlace() throws Exception {
        try (var log = new LibraryLog()) {
            thisNode.caller().run(LeakCases.class, "forget");
            Soon.equal(0, () -> here.countInRedis("leak-request"));
            Soon.equal(1, () -> log.of("leak-request").size());
            String line = log.of("leak-request").get(0);
            assertTrue(line.startsWith("ERROR "), line);
            assertTrue(line.matches(".*LeakCases\\.forget\\(LeakCases\\.java:\\d+\\).*"), line);
        }
    }

    @InContainer
    public void nextRequest_onTheSameThread_doesNotHaveTheHold() throws Exception {
        ThisNode.Caller caller = thisNode.caller();
        Set<String> forgetful = new HashSet<>();
        // one thread of the server's pool serves both kinds before long
        for (int i = 0; i < 500; i++) {
            forgetful.add(caller.run(LeakCases.class, "forget"));
            String[] seen = caller.run(LeakCases.class, "look").split(":");
            assertEquals("0", seen[1]);
            if (i >= 10 && forgetful.contains(seen[0])) {
                return;
            }
        }
        throw new AssertionError("No request came on one of the threads " + forgetful);
    }

    /** A request that enters three times and leaves once. */
    public void forgetNested() {
        ReentrantRedisLock lock = locks.get("leak-nested");
        lock.lock();
        lock.lock();
        lock.lock();
        lock.unlock();
        assertEquals(2, here.countInRedis("leak-nested"));
    }

    @InContainer
    public void nestedHold_leftByRequest_isReleasedAltogether() throws Exception {
        try (var log = new LibraryLog()) {
            thisNode.caller().run(LeakCases.class, "forgetNested");
            Soon.equal(0, () -> here.countInRedis("leak-nested"));
            Soon.equal(1, () -> log.of("leak-nested").size());
        }
    }

    /** Has a request context of its own where there is none, as enterprise beans have. */
    @ActivateRequestContext
    public void reenter() {
        ReentrantRedisLock lock = locks.get("leak-outer");
        lock.lock();
        lock.unlock();
    }

    /** As {@link #reenter()}, but it does not unlock. */
    @ActivateRequestContext
    public void reenterAndForget() {
        locks.get("leak-outer").lock();
    }

    /** {@return the hold count in Redis when the calls are over} */
    @RedisLocked("leak-outer")
    public int lockAndReenter(List<Runnable> calls) {
        calls.forEach(Runnable::run);
        return here.countInRedis("leak-outer");
    }

    @InContainer
    public void requestWithinHold_ended_leavesTheOuterCallIn() throws Exception {
        try (var log = new LibraryLog()) {
            List<Runnable> calls = List.of(self::reenter, stateless::reenter);
            assertEquals(1, executor.submit(() -> self.lockAndReenter(calls)).get(10, TimeUnit.SECONDS));
            assertEquals(1, executor.submit(() -> lockByHandAndReenter(calls)).get(10, TimeUnit.SECONDS));
            assertEquals(0, here.countInRedis("leak-outer"));
            assertEquals(List.of(), log.of("leak-outer"));
        }
    }

    @InContainer
    public void requestWithinHold_thatForgets_leavesTheOuterCallIn() throws Exception {
        try (var log = new LibraryLog()) {
            List<Runnable> calls = List.of(self::reenterAndForget);
            assertEquals(1, executor.submit(() -> self.lockAndReenter(calls)).get(10, TimeUnit.SECONDS));
            assertEquals(1, executor.submit(() -> lockByHandAndReenter(calls)).get(10, TimeUnit.SECONDS));
            assertEquals(0, here.countInRedis("leak-outer"));
            assertEquals(2, log.of("leak-outer").size());
        }
    }

    private int lockByHandAndReenter(List<Runnable> calls) {
        ReentrantRedisLock lock = locks.get("leak-outer");
        lock.lock();
        try {
            calls.forEach(Runnable::run);
            return here.countInRedis("leak-outer");
        } finally {
            lock.unlock();
        }
    }

    /** A request that forgets to unlock inside a locked method, which then leaves what is not its own. */
    @RedisLocked("leak-inner")
    public void lockAndForget() {
        locks.get("leak-inner").lock();
    }

    /** As {@link #lockAndForget()}, as a request. */
    public void forgetInner() {
        self.lockAndForget();
        assertEquals(1, here.countInRedis("leak-inner"));
    }

    @InContainer
    public void hold_leftInsideLockedMethod_isReleasedAndTold() throws Exception {
        try (var log = new LibraryLog()) {
            thisNode.caller().run(LeakCases.class, "forgetInner");
            Soon.equal(0, () -> here.countInRedis("leak-inner"));
            Soon.equal(1, () -> log.of("leak-inner").size());
        }
    }

    @InContainer
    public void hold_leftByAsynchronousEjb_isReleasedAndTold() throws Exception {
        try (var log = new LibraryLog()) {
            assertEquals(1, asynchronous.forget().get(10, TimeUnit.SECONDS));
            Soon.equal(0, () -> here.countInRedis("leak-ejb"));
            Soon.equal(1, () -> log.of("leak-ejb").size());
            String line = log.of("leak-ejb").get(0);
            assertTrue(line.matches("ERROR .*AsynchronousBean\\.forget\\(AsynchronousBean\\.java:\\d+\\).*"), line);
        }
    }

    @InContainer
    public void hold_leftByTimer_isReleasedAndTold() throws Exception {
        try (var log = new LibraryLog()) {
            timers.timeOutAndForget().get(10, TimeUnit.SECONDS);
            Soon.equal(1, () -> log.of("leak-timer").size());
            String line = log.of("leak-timer").get(0);
            assertTrue(line.matches("ERROR .*TimerBean\\.timeout\\(TimerBean\\.java:\\d+\\).*"), line);
            Soon.equal(0, () -> here.countInRedis("leak-timer"));
        }
    }

    @InContainer
    public void hold_leftToTransaction_isReleasedByThatAndNotTold() throws Exception {
        try (var log = new LibraryLog()) {
            assertEquals(1, asynchronous.leaveToTransaction().get(10, TimeUnit.SECONDS));
            Soon.equal(0, () -> here.countInRedis("leak-ejb-joined"));
            assertEquals(List.of(), log.of("leak-ejb-joined"));
        }
    }

    /** What a request gives to a stage is no leak. */
    public void leaveToStage() {
        ReentrantRedisLock lock = locks.get("leak-stage");
        lock.lock();
        stage = new CompletableFuture<>();
        left = lock.unlockWhenComplete(stage);
    }

    private volatile CompletableFuture<String> stage = new CompletableFuture<>();
    private volatile CompletableFuture<String> left = new CompletableFuture<>();

    @InContainer
    public void hold_leftToStage_isReleasedByThatAndNotTold() throws Exception {
        try (var log = new LibraryLog()) {
            thisNode.caller().run(LeakCases.class, "leaveToStage");
            Thread.sleep(200); // the request comes to its end
            assertEquals(1, here.countInRedis("leak-stage"));
            stage.complete("done");
            assertEquals("done", left.get(5, TimeUnit.SECONDS));
            assertEquals(0, here.countInRedis("leak-stage"));
            assertEquals(List.of(), log.of("leak-stage"));
        }
    }

    @InContainer
    public void request_lockingOften_keepsNoneOfItsOldHolds() throws ReflectiveOperationException {
        ReentrantRedisLock lock = locks.get("leak-often");
        for (int i = 0; i < MANY; i++) {
            lock.lock();
            lock.unlock();
        }
        Bean<?> bean = beans.resolve(beans.getBeans(RequestHolds.class));
        Context context = beans.getContext(RequestScoped.class);
        var field = RequestHolds.class.getDeclaredField("open");
        field.setAccessible(true);
        assertEquals(1, ((Collection<?>) field.get(context.get(bean))).size());
    }

    @InContainer
    public void hold_longerThanTheThreshold_isToldOnce() throws Exception {
        try (var client = client().leakDetectionThreshold(Duration.ofSeconds(1)).build();
                var log = new LibraryLog()) {
            ReentrantRedisLock lock = client.get("leak-threshold");
            lock.lock();
            try {
                Soon.equal(1, () -> log.of("leak-threshold").size());
                Thread.sleep(800); // for renewals to come by
                assertEquals(1, log.of("leak-threshold").size());
                String line = log.of("leak-threshold").get(0);
                assertTrue(line.startsWith("WARNING "), line);
                assertTrue(line.contains("LeakCases.hold_longerThanTheThreshold_isToldOnce(LeakCases.java:"), line);
                assertEquals(1, here.countInRedis("leak-threshold"));
            } finally {
                lock.unlock();
            }
        }
    }

    @InContainer
    public void hold_longerThanItsMaximum_endsWithItsLease() throws Exception {
        try (var client = client().maxHoldTime(Duration.ofSeconds(2)).build();
                var log = new LibraryLog()) {
            ReentrantRedisLock lock = client.get("leak-maximum");
            lock.lock();
            Soon.equal(false, lock::isHeldByCurrentThread);
            assertTrue(log.of("leak-maximum").get(0).startsWith("WARNING "));
            Soon.equal(0, () -> here.countInRedis("leak-maximum"));
            try {
                lock.unlock();
            } catch (org.redislocked.RedisLockLostException e) {
                return;
            }
            throw new AssertionError("The loss was not told");
        }
    }

    private RedisLockClient.Builder client() {
        return RedisLockClient.builder().uri(uri).leaseTime(Duration.ofSeconds(1));
    }
}
