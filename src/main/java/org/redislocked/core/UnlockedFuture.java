package org.redislocked.core;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Completes as a stage that keeps a lock, after the lock was left. To cancel it is to cancel the stage. */
final class UnlockedFuture<T> extends CompletableFuture<T> {

    private final CompletionStage<T> stage;
    private final Runnable leave;
    private final AtomicBoolean left = new AtomicBoolean();

    private UnlockedFuture(CompletionStage<T> stage, Runnable leave) {
        this.stage = stage;
        this.leave = leave;
    }

    /**
     * @param leave leaves the lock; what it throws is the result, or suppressed in the stage's own failure. It is run once,
     *     whatever the stage does, which is foreign code
     */
    static <T> UnlockedFuture<T> after(CompletionStage<T> stage, Runnable leave) {
        var result = new UnlockedFuture<T>(stage, leave);
        try {
            var unused = stage.whenComplete(result::finish);
        } catch (Throwable t) { // nobody will tell when it is complete
            result.finish(null, t);
            throw t;
        }
        return result;
    }

    /** On whatever thread the stage completes. An {@link Error} must not keep the result from being complete. */
    private void finish(@Nullable T value, @Nullable Throwable failure) {
        if (!left.compareAndSet(false, true)) {
            return;
        }
        Throwable outcome = failure;
        try {
            leave.run();
        } catch (Throwable t) {
            if (failure == null) {
                outcome = t;
            } else {
                failure.addSuppressed(t);
            }
        }
        if (outcome == null) {
            complete(value);
        } else {
            completeExceptionally(outcome);
        }
    }

    /** Has an effect on the work only if the stage is one that can be cancelled. */
    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        try {
            stage.toCompletableFuture().cancel(mayInterruptIfRunning);
        } catch (UnsupportedOperationException e) {
            // as its contract allows: then the lock is kept until the stage is complete
        }
        return super.cancel(mayInterruptIfRunning) || isCancelled();
    }

    /** What depends on it keeps no lock. */
    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new CompletableFuture<>();
    }
}
