package org.redislocked.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** A thread of a test, and what is known of where it stands. */
final class Party<T> {

    private static final long PATIENCE_SECONDS = 20;

    private final FutureTask<T> task;
    private final Thread thread;

    private Party(Callable<T> body) {
        task = new FutureTask<>(body);
        thread = new Thread(task, "party");
        thread.setDaemon(true);
    }

    static <T> Party<T> of(Callable<T> body) {
        Party<T> party = new Party<>(body);
        party.thread.start();
        return party;
    }

    /** A body that returns nothing. */
    interface Body {
        void run() throws Exception;
    }

    static Party<Boolean> running(Body body) {
        return of(() -> {
            body.run();
            return true;
        });
    }

    Thread thread() {
        return thread;
    }

    /** Ends a park, for no reason that the thread could see: it looks at the clock again. */
    void wake() {
        LockSupport.unpark(thread);
    }

    boolean isDone() {
        return task.isDone();
    }

    T result() throws Exception {
        try {
            return task.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            AssertionError error = new AssertionError("The thread did not finish");
            error.setStackTrace(thread.getStackTrace());
            throw error;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Exception cause) {
                throw cause;
            }
            throw e;
        }
    }

    /** Returns once the thread is parked in the queue of a lock. */
    Party<T> awaitQueued() {
        await(() -> LockSupport.getBlocker(thread) instanceof LockQueue);
        return this;
    }

    void awaitEnd() throws InterruptedException {
        thread.join(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
        assertThat(thread.isAlive()).isFalse();
    }

    static void await(BooleanSupplier condition) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("The condition did not come true");
            }
            Thread.onSpinWait();
        }
    }
}
