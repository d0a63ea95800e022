package org.redislocked.cdi;

import jakarta.enterprise.concurrent.ContextService;
import jakarta.enterprise.inject.spi.BeanManager;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.function.Consumer;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import org.redislocked.LockLost;

/**
 * Fires the event of a lost lock. Observers run on the container's threads, and none waits for them.
 *
 * <p>It is fired by a thread of the library, which knows nothing of the application; on Payara, observers would get
 * nothing injected then. So it takes the context of the application along, where the container has a way to.
 */
final class LossEvents implements Consumer<LockLost> {

    private static final Logger LOG = System.getLogger("org.redislocked");

    private final BeanManager manager;
    private volatile Consumer<LockLost> inContext = this::fire;

    LossEvents(BeanManager manager) {
        this.manager = manager;
    }

    /** To be called by a thread that has the context of the application, and nobody's identity. */
    void takeContext() {
        try {
            inContext = Contextual.of(this::fire);
        } catch (NamingException | RuntimeException | LinkageError e) { // as in Java SE
            LOG.log(Level.DEBUG, "Lost locks are told without the context of the application: {0}", e.toString());
        }
    }

    @Override
    public void accept(LockLost loss) {
        inContext.accept(loss);
    }

    private void fire(LockLost loss) {
        var unused = manager.getEvent().select(LockLost.class).fireAsync(loss).whenComplete((event, failure) -> {
            if (failure != null) {
                LOG.log(Level.ERROR, "An observer failed on: " + loss, failure);
            }
        });
    }

    /** A class of its own, to be loaded where Jakarta Concurrency is there. */
    private static final class Contextual {

        private Contextual() {}

        @SuppressWarnings({"BanJNDI", "unchecked"}) // the name is the platform's; the class of a generic interface
        static Consumer<LockLost> of(Consumer<LockLost> plain) throws NamingException {
            ContextService contexts = InitialContext.doLookup("java:comp/DefaultContextService");
            return (Consumer<LockLost>) contexts.createContextualProxy(plain, Consumer.class);
        }
    }
}
