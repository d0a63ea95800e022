package org.redislocked.trial.cases;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedExecutorService;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.redislocked.LockName;
import org.redislocked.RedisLockLostException;
import org.redislocked.RedisLockTimeoutException;
import org.redislocked.ReentrantRedisLock;
import org.redislocked.trial.Here;
import org.redislocked.trial.InContainer;

/** A method that returns a stage keeps the lock until that is complete, whoever completes it and how. */
@ApplicationScoped
public class StageCases {

    @Inject
    Here here;

    @Inject
    ThisNode thisNode;

    @Inject
    StageBean bean;

    @Inject
    @LockName("stage")
    ReentrantRedisLock lock;

    @Resource
    ManagedExecutorService executor;

    /** Of a method that an earlier request called. */
    private volatile CompletableFuture<String> goingOn = new CompletableFuture<>();

    @InContainer
    public void stage_incomplete_keepsTheLockFromAllOthers() throws Exception {
        var work = new CompletableFuture<String>();
        CompletableFuture<String> result = bean.begin(work);
        try {
            assertEquals(1, here.countInRedis("stage"));
            assertFalse(result.isDone());
            assertTrue(here.runOnOther(StageCases.class, "tryLock").contains("\"false\""));
            assertFalse(executor.submit(this::tryLock).get());
        } finally {
            work.complete("done");
        }
        assertEquals("done", result.get(5, TimeUnit.SECONDS));
        assertEquals(0, here.countInRedis("stage"));
        assertTrue(here.runOnOther(StageCases.class, "tryLock").contains("\"true\""));
    }

    /** For other threads and the other node. */
    public boolean tryLock() throws InterruptedException {
        boolean locked = lock.tryLock(0, TimeUnit.SECONDS);
        if (locked) {
            lock.unlock();
        }
        return locked;
    }

    @InContainer
    public void callingThread_afterReturn_ownsTheLockNoMore() throws Exception {
        var work = new CompletableFuture<String>();
        CompletableFuture<String> result = bean.begin(work);
        try {
            assertFalse(lock.isHeldByCurrentThread());
            assertEquals(0, lock.getHoldCount());
            assertFalse(lock.tryLock());
            assertThrows(RedisLockTimeoutException.class, () -> bean.begin(new CompletableFuture<>()));
            assertThrows(IllegalMonitorStateException.class, lock::unlock);
        } finally {
            work.complete("done");
        }
        assertEquals("done", result.get(5, TimeUnit.SECONDS));
        assertEquals(
                "again", bean.begin(CompletableFuture.completedFuture("again")).get());
        assertEquals(0, here.countInRedis("stage"));
    }

    @InContainer
    public void callingThread_withOuterHold_keepsThatOnly() {
        var work = new CompletableFuture<String>();
        lock.lock();
        CompletableFuture<String> result = bean.begin(work);
        assertEquals(1, lock.getHoldCount());
        lock.unlock();
        assertFalse(lock.isHeldByCurrentThread());
        assertEquals(1, here.countInRedis("stage"));
        work.complete("done");
        assertEquals("done", result.join());
        assertEquals(0, here.countInRedis("stage"));
    }

    @InContainer
    public void completionStage_completedNormally_freesTheLock() throws Exception {
        var work = new CompletableFuture<String>();
        CompletionStage<String> result = bean.beginStage(work);
        assertEquals(1, here.countInRedis("stage"));
        work.complete("done");
        assertEquals("done", result.toCompletableFuture().get(5, TimeUnit.SECONDS));
        assertEquals(0, here.countInRedis("stage"));
    }

    @InContainer
    public void stage_completedExceptionally_freesTheLockAndFails() {
        var work = new CompletableFuture<String>();
        var failure = new IOException("of the work");
        CompletableFuture<String> result = bean.begin(work);
        assertEquals(1, here.countInRedis("stage"));
        work.completeExceptionally(failure);
        assertSame(
                failure,
                assertThrows(ExecutionException.class, () -> result.get(5, TimeUnit.SECONDS))
                        .getCause());
        assertEquals(0, here.countInRedis("stage"));
    }

    @InContainer
    public void work_cancelled_freesTheLock() {
        var work = new CompletableFuture<String>();
        CompletableFuture<String> result = bean.begin(work);
        assertEquals(1, here.countInRedis("stage"));
        work.cancel(true);
        assertTrue(result.isCancelled());
        assertEquals(0, here.countInRedis("stage"));
    }

    @InContainer
    public void result_cancelled_cancelsTheWorkAndFreesTheLock() {
        var work = new CompletableFuture<String>();
        CompletableFuture<String> result = bean.begin(work);
        assertEquals(1, here.countInRedis("stage"));
        assertTrue(result.cancel(true));
        assertTrue(work.isCancelled());
        assertTrue(result.isCancelled());
        assertEquals(0, here.countInRedis("stage"));
    }

    @InContainer
    public void stage_completedByManagedThread_freesTheLock() throws Exception {
        CompletableFuture<String> result = bean.begin(executor.supplyAsync(StageCases::slowly));
        assertEquals(1, here.countInRedis("stage"));
        assertEquals("done", result.get(5, TimeUnit.SECONDS));
        assertEquals(0, here.countInRedis("stage"));
    }

    @InContainer
    public void stage_completedByPlainThread_freesTheLock() throws Exception {
        var work = new CompletableFuture<String>();
        CompletableFuture<String> result = bean.begin(work);
        var thread = new Thread(() -> work.complete(slowly()));
        thread.setContextClassLoader(null);
        thread.start();
        assertEquals(1, here.countInRedis("stage"));
        assertEquals("done", result.get(5, TimeUnit.SECONDS));
        assertEquals(0, here.countInRedis("stage"));
    }

    private static String slowly() {
        try {
            Thread.sleep(100);
            return "done";
        } catch (InterruptedException e) {
            throw new CompletionException(e);
        }
    }

    @InContainer
    public void stage_completeBeforeReturn_freesTheLock() {
        assertEquals(
                "done", bean.begin(CompletableFuture.completedFuture("done")).join());
        assertEquals(0, here.countInRedis("stage"));
    }

    @InContainer
    public void noStage_returned_freesTheLock() {
        assertEquals(null, bean.begin(null));
        assertEquals(0, here.countInRedis("stage"));
    }

    /** A request that ends before its work does. */
    public void beginAndReturn() {
        goingOn = bean.begin(new CompletableFuture<>());
    }

    @InContainer
    public void stage_ofEndedRequest_keepsTheLock() throws Exception {
        thisNode.caller().run(StageCases.class, "beginAndReturn");
        // longer than the end of a request takes, and than a third of the lease, so that renewal has come by
        Thread.sleep(2_500);
        assertTrue(here.redis().pttl("redis-lock:stage") > 2_600);
        goingOn.cancel(true);
        assertEquals(0, here.countInRedis("stage"));
    }

    @InContainer
    public void lockLost_whileStageGoesOn_failsTheResult() {
        var work = new CompletableFuture<String>();
        CompletableFuture<String> result = bean.beginToLose(work);
        lose();
        assertFalse(result.isDone());
        work.complete("done");
        Throwable failure = assertThrows(ExecutionException.class, () -> result.get(5, TimeUnit.SECONDS))
                .getCause();
        assertInstanceOf(RedisLockLostException.class, failure);
    }

    @InContainer
    public void lockLost_whileStageGoesOnAndFails_isSuppressedInTheFailure() {
        var work = new CompletableFuture<String>();
        CompletableFuture<String> result = bean.beginToLose(work);
        lose();
        var failure = new IOException("of the work");
        work.completeExceptionally(failure);
        assertSame(
                failure,
                assertThrows(ExecutionException.class, () -> result.get(5, TimeUnit.SECONDS))
                        .getCause());
        assertInstanceOf(RedisLockLostException.class, failure.getSuppressed()[0]);
    }

    /** As if Redis had lost its data; returns when the next renewal has noticed. */
    private void lose() {
        here.redis().del("redis-lock:stage-lost");
        Soon.equal(true, () -> bean.wasLost("stage-lost"));
    }

    @InContainer
    public void lockLost_noticedAtTheReleaseOnly_failsTheResult() {
        var work = new CompletableFuture<String>();
        CompletableFuture<String> result = bean.beginToLose(work);
        here.redis().del("redis-lock:stage-lost");
        work.complete("done");
        Throwable failure = assertThrows(ExecutionException.class, () -> result.get(5, TimeUnit.SECONDS))
                .getCause();
        assertInstanceOf(RedisLockLostException.class, failure);
        Soon.equal(true, () -> bean.wasLost("stage-lost"));
    }
}
