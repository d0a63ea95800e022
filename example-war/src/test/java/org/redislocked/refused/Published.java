package org.redislocked.refused;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.concurrent.Flow;
import org.redislocked.RedisLocked;

/** Would publish after the lock was released. */
@ApplicationScoped
public class Published {

    /** Nothing to publish. */
    @RedisLocked
    public Flow.Publisher<String> work() {
        return subscriber -> {};
    }
}
