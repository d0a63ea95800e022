package org.redislocked.example;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.ObservesAsync;
import jakarta.inject.Inject;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.redislocked.LockLost;

/** Notes each lock that was lost while its owner worked: in a real shop, somebody would be called. */
@ApplicationScoped
public class LostLocks {

    static final String LOSSES = "shop:lost-locks";

    private static final int KEPT = 100;

    @Inject
    Redis redis;

    @Inject
    @ConfigProperty(name = "shop.node")
    String node;

    public void note(@ObservesAsync LockLost loss) {
        redis.append(LOSSES, loss.lockName() + " on " + node, KEPT);
    }
}
