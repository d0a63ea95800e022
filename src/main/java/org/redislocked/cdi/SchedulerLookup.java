package org.redislocked.cdi;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import org.jspecify.annotations.Nullable;

/**
 * Looks up the container's scheduler by its JNDI name. Not finding it is normal: there is no JNDI in Java SE, and at
 * deployment not always one that is ready. So a failure is not remembered; who asks may ask again.
 */
final class SchedulerLookup implements Supplier<@Nullable ScheduledExecutorService> {

    private static final Logger LOG = System.getLogger("org.redislocked");

    private final String jndiName;

    /** Whether somebody asked for just this one, and will want to know that it is not there. */
    private final boolean configured;

    // no lock guards them: a look-up may take its time
    private final AtomicInteger failures = new AtomicInteger();
    private volatile boolean found;

    SchedulerLookup(String jndiName, boolean configured) {
        this.jndiName = jndiName;
        this.configured = configured;
    }

    @Override
    @SuppressWarnings("BanJNDI") // the name is the deployer's, not a user's
    public @Nullable ScheduledExecutorService get() {
        if (jndiName.isEmpty()) {
            return null;
        }
        try {
            ScheduledExecutorService scheduler = InitialContext.doLookup(jndiName);
            found = true;
            return scheduler;
        } catch (NamingException | RuntimeException | LinkageError e) {
            // the first failure is at deployment, where not everything is ready
            Level level = failures.incrementAndGet() == 2 && configured ? Level.WARNING : Level.DEBUG;
            LOG.log(level, () -> "No scheduler at '" + jndiName + "', a thread of the client renews instead: " + e);
            return null;
        }
    }

    /** {@return who renews, as far as is known: it may be found later} */
    @Override
    public String toString() {
        String own = "a thread of its own";
        if (jndiName.isEmpty()) {
            return own;
        }
        return found ? jndiName : jndiName + ", or by " + own;
    }
}
