package org.redislocked.history;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Interrupts the current thread after a while, unless it is stopped before. */
final class Interrupter implements AutoCloseable {
    private static final ScheduledExecutorService TIMER = Executors.newSingleThreadScheduledExecutor(task -> {
        var thread = new Thread(task, "interrupter");
        thread.setDaemon(true);
        return thread;
    });

    private final Thread thread = Thread.currentThread();
    private boolean stopped;
    private boolean sent;

    Interrupter(long afterMillis) {
        var unused = TIMER.schedule(this::interrupt, afterMillis, TimeUnit.MILLISECONDS);
    }

    private synchronized void interrupt() {
        if (!stopped) {
            sent = true;
            thread.interrupt();
        }
    }

    /** {@return whether it did} It will not after this. */
    synchronized boolean stop() {
        stopped = true;
        return sent;
    }

    @Override
    public void close() {
        stop();
    }
}
