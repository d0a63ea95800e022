package org.redislocked.core;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.redislocked.LockLost;

/**
 * Tells of lost holds: the log, the client's listener and the callbacks of the hold, in this order.
 *
 * <p>All of them are foreign code, that may block or throw. So they run on a thread of their own, and neither a renewal
 * nor a waiter nor an owner waits for them.
 */
final class LossNews implements AutoCloseable {

    private static final Logger LOG = System.getLogger("org.redislocked");

    /** How long the end of the client waits for those who are being told. */
    private static final Duration FAREWELL = Duration.ofSeconds(1);

    private final ExecutorService executor;
    private final Consumer<? super LockLost> listener;

    LossNews(ExecutorService executor, Consumer<? super LockLost> listener) {
        this.executor = executor;
        this.listener = listener;
    }

    void lost(ActiveHold hold, Duration late, String reason) {
        Thread owner = hold.owner(); // now: it will have left soon
        submit(() -> {
            LockLost loss = new LockLost(
                    hold.lockName(),
                    hold.id(),
                    hold.fencingToken(),
                    late,
                    reason,
                    owner == null ? "" : owner.getName(),
                    owner == null ? List.of() : List.of(owner.getStackTrace()));
            List<Consumer<? super LockLost>> callbacks = hold.lost(loss);
            run(LossNews::log, loss);
            run(listener, loss);
            callbacks.forEach(callback -> run(callback, loss));
        });
    }

    void tell(Consumer<? super LockLost> callback, LockLost loss) {
        submit(() -> run(callback, loss));
    }

    private void submit(Runnable news) {
        try {
            executor.execute(news);
        } catch (OutOfMemoryError e) { // no thread could be had; a renewal must not fail for it
            LOG.log(Level.ERROR, "A lock was lost, and no thread could be had to tell so", e);
        }
    }

    private static void log(LockLost loss) {
        LOG.log(Level.WARNING, "{0}. Its owner is told when it leaves the lock.", loss);
    }

    private static void run(Consumer<? super LockLost> callback, LockLost loss) {
        try {
            callback.accept(loss);
        } catch (Throwable t) { // of whatever kind: the others are to be told as well
            try {
                LOG.log(Level.ERROR, "A listener failed on: " + loss, t);
            } catch (RuntimeException logFailure) {
                t.addSuppressed(logFailure); // nobody is left to tell
            }
        }
    }

    /** Tells what is to be told yet, if that is quick. */
    @Override
    public void close() {
        executor.shutdown();
        boolean interrupted = Thread.interrupted();
        try {
            if (!executor.awaitTermination(FAREWELL.toMillis(), TimeUnit.MILLISECONDS)) {
                executor.shutdownNow();
            }
        } catch (InterruptedException e) {
            executor.shutdownNow();
            interrupted = true;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
