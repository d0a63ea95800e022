package org.redislocked.refused;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.redislocked.RedisLocked;

/** Would not tell when the work is done. */
@ApplicationScoped
public class Untold {

    /** Nothing to do. */
    @RedisLocked
    public Future<String> work() {
        return CompletableFuture.completedFuture("done");
    }
}
