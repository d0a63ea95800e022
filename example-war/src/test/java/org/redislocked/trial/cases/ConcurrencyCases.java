package org.redislocked.trial.cases;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.Asynchronous;
import jakarta.enterprise.concurrent.LastExecution;
import jakarta.enterprise.concurrent.ManagedExecutorService;
import jakarta.enterprise.concurrent.ManagedScheduledExecutorService;
import jakarta.enterprise.concurrent.Trigger;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.Date;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.redislocked.LockName;
import org.redislocked.RedisLocked;
import org.redislocked.ReentrantRedisLock;
import org.redislocked.trial.Here;
import org.redislocked.trial.InContainer;

/** Jakarta Concurrency: its asynchronous methods, and tasks on its executors. */
@ApplicationScoped
public class ConcurrencyCases {

    @Inject
    Here here;

    @Inject
    Bean bean;

    @Inject
    @LockName("concurrency-stage")
    ReentrantRedisLock lock;

    @Resource
    ManagedExecutorService executor;

    @Resource
    ManagedScheduledExecutorService scheduler;

    /** Runs elsewhere. */
    @ApplicationScoped
    public static class Bean {

        @Inject
        Here here;

        /** {@return the thread and the hold count in Redis} */
        @Asynchronous
        @RedisLocked("concurrency-future")
        public CompletableFuture<String> future() {
            return Asynchronous.Result.complete(
                    Thread.currentThread().getId() + ":" + here.countInRedis("concurrency-future"));
        }

        /** Returns its work, on another thread. */
        @Asynchronous
        @RedisLocked("concurrency-stage")
        public CompletionStage<String> stage(CompletableFuture<String> begun, CompletableFuture<String> work) {
            begun.complete(Thread.currentThread().getId() + ":" + here.countInRedis("concurrency-stage"));
            return work;
        }

        /** Tells the thread and the hold count in Redis. */
        @Asynchronous
        @RedisLocked("concurrency-void")
        public void tell(CompletableFuture<String> count) {
            count.complete(Thread.currentThread().getId() + ":" + here.countInRedis("concurrency-void"));
        }

        /** {@return the hold count in Redis} */
        @RedisLocked("concurrency-task")
        public int task() {
            return here.countInRedis("concurrency-task");
        }
    }

    private static void assertLockedElsewhere(String threadAndCount) {
        String[] parts = threadAndCount.split(":");
        assertNotEquals(Long.toString(Thread.currentThread().getId()), parts[0]);
        assertEquals("1", parts[1]);
    }

    @InContainer
    public void asynchronous_withFuture_isLockedOnItsThread() throws Exception {
        assertLockedElsewhere(bean.future().get(10, TimeUnit.SECONDS));
        Soon.equal(0, () -> here.countInRedis("concurrency-future"));
    }

    @InContainer
    public void asynchronous_withoutResult_isLockedOnItsThread() throws Exception {
        var count = new CompletableFuture<String>();
        bean.tell(count);
        assertLockedElsewhere(count.get(10, TimeUnit.SECONDS));
        Soon.equal(0, () -> here.countInRedis("concurrency-void"));
    }

    @InContainer
    public void asynchronous_withStage_keepsTheLockUntilItIsComplete() throws Exception {
        var begun = new CompletableFuture<String>();
        var work = new CompletableFuture<String>();
        CompletionStage<String> result = bean.stage(begun, work);
        assertLockedElsewhere(begun.get(10, TimeUnit.SECONDS));
        Thread.sleep(100); // the method returns meanwhile
        assertEquals(1, here.countInRedis("concurrency-stage"));
        assertEquals(false, lock.tryLock());
        work.complete("done");
        Soon.equal(0, () -> here.countInRedis("concurrency-stage"));
        Soon.equal(true, result.toCompletableFuture()::isDone);
        // the others cancel the caller's stage if the method's is not complete at its return, with and without a lock
        if (here.server().equals("liberty")) {
            assertEquals("done", result.toCompletableFuture().get());
        }
    }

    @InContainer
    public void taskOfExecutor_callingLockedMethod_isLocked() throws Exception {
        Future<Integer> count = executor.submit(bean::task);
        assertEquals(1, count.get(10, TimeUnit.SECONDS));
        assertEquals(0, here.countInRedis("concurrency-task"));
    }

    @InContainer
    public void taskAtFixedRate_callingLockedMethod_isLockedEachTime() throws Exception {
        var counts = new LinkedBlockingQueue<Integer>();
        Future<?> series = scheduler.scheduleAtFixedRate(() -> counts.add(bean.task()), 0, 50, TimeUnit.MILLISECONDS);
        try {
            assertOnes(counts);
        } finally {
            series.cancel(false);
        }
        Soon.equal(0, () -> here.countInRedis("concurrency-task"));
    }

    @InContainer
    public void taskWithTrigger_callingLockedMethod_isLockedEachTime() throws Exception {
        var counts = new LinkedBlockingQueue<Integer>();
        Future<?> series = scheduler.schedule(() -> counts.add(bean.task()), new Often());
        try {
            assertOnes(counts);
        } finally {
            series.cancel(false);
        }
        Soon.equal(0, () -> here.countInRedis("concurrency-task"));
    }

    private static void assertOnes(BlockingQueue<Integer> counts) throws InterruptedException {
        for (int i = 0; i < 3; i++) {
            assertEquals(1, counts.poll(10, TimeUnit.SECONDS));
        }
    }

    /** Runs again and again. */
    private static final class Often implements Trigger {

        @Override
        public Date getNextRunTime(LastExecution last, Date scheduled) {
            return new Date(System.currentTimeMillis() + 50);
        }

        @Override
        public boolean skipRun(LastExecution last, Date scheduled) {
            return false;
        }
    }
}
