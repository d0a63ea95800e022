package org.redislocked.trial.cases;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.ObservesAsync;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.redislocked.LockLost;
import org.redislocked.RedisLocked;

/** A bean whose work goes on after its methods have returned. */
@ApplicationScoped
public class StageBean {

    private final Set<String> lost = ConcurrentHashMap.newKeySet();

    /** Returns its work. */
    @RedisLocked(value = "stage", accessTimeout = 100, unit = TimeUnit.MILLISECONDS)
    public CompletableFuture<String> begin(CompletableFuture<String> work) {
        return work;
    }

    /** As {@link #begin}, by the interface. */
    @RedisLocked(value = "stage", accessTimeout = 100, unit = TimeUnit.MILLISECONDS)
    public CompletionStage<String> beginStage(CompletionStage<String> work) {
        return work;
    }

    /** As {@link #begin}, of a lock that will be lost. */
    @RedisLocked("stage-lost")
    public CompletableFuture<String> beginToLose(CompletableFuture<String> work) {
        return work;
    }

    void noteLoss(@ObservesAsync LockLost event) {
        lost.add(event.lockName());
    }

    /** {@return whether a loss of the lock was told since the last call} */
    public boolean wasLost(String lock) {
        return lost.remove(lock);
    }
}
