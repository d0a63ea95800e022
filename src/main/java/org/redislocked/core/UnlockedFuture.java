package org.redislocked.core;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Completes as a stage that kept a lock, after the lock was left. To cancel it is to cancel the stage. */
final class UnlockedFuture<T> extends CompletableFuture<T> {

    private final CompletionStage<T> stage;

    UnlockedFuture(CompletionStage<T> stage) {
        this.stage = stage;
    }

    /**
     * @param failure how the stage failed; null if it did not
     * @param trouble what went wrong with the lock; never masks the stage's own failure
     */
    void complete(T value, @Nullable Throwable failure, @Nullable RuntimeException trouble) {
        if (failure != null) {
            if (trouble != null) {
                failure.addSuppressed(trouble);
            }
            completeExceptionally(failure);
        } else if (trouble != null) {
            completeExceptionally(trouble);
        } else {
            complete(value);
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
