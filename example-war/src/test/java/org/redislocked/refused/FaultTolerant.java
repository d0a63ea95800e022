package org.redislocked.refused;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.eclipse.microprofile.faulttolerance.Asynchronous;
import org.redislocked.RedisLocked;

/** Would run on another thread than the one that has the lock. */
@ApplicationScoped
public class FaultTolerant {

    /** Nothing to do. */
    @Asynchronous
    @RedisLocked
    public CompletionStage<String> work() {
        return CompletableFuture.completedFuture("done");
    }
}
