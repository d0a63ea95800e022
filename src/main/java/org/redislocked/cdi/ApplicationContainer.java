package org.redislocked.cdi;

import jakarta.enterprise.context.ContextNotActiveException;
import jakarta.enterprise.context.spi.CreationalContext;
import jakarta.enterprise.inject.spi.Bean;
import jakarta.enterprise.inject.spi.BeanManager;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.redislocked.core.Container;
import org.redislocked.core.LeakGuard;
import org.redislocked.core.Transactions;

/** What the application's container has for locks: transactions, the request, and a way to find them again. */
final class ApplicationContainer implements Container {

    private static final Logger LOG = System.getLogger("org.redislocked");

    private final Transactions transactions = JtaTransactions.ifPresent();
    private final BeanManager manager;
    private volatile @Nullable RequestHolds requestHolds;

    ApplicationContainer(BeanManager manager) {
        this.manager = manager;
    }

    @Override
    public Transactions transactions() {
        return transactions;
    }

    @Override
    public LeakGuard leakGuard() {
        return new LeakGuard() {
            @Override
            public @Nullable Object request() {
                return ofRequest(RequestHolds::identity);
            }

            @Override
            public @Nullable Object entered(GuardedHold hold) {
                return ofRequest(holds -> holds.note(hold));
            }
        };
    }

    @Override
    public Object reference(String lockName, boolean joiningTransaction) {
        return new LockReference(lockName, joiningTransaction);
    }

    private @Nullable Object ofRequest(Function<RequestHolds, Object> question) {
        try {
            return question.apply(requestHolds());
        } catch (ContextNotActiveException e) { // a thread that serves no request
            return null;
        } catch (RuntimeException e) { // a lock is not to fail for it
            LOG.log(Level.DEBUG, "A hold is not watched by its request: {0}", e.toString());
            return null;
        }
    }

    /** {@return what stands for the holds of whichever request it is} */
    private RequestHolds requestHolds() {
        RequestHolds known = requestHolds;
        if (known == null) {
            Bean<?> bean = manager.resolve(manager.getBeans(RequestHolds.class));
            CreationalContext<?> context = manager.createCreationalContext(bean);
            known = (RequestHolds) manager.getReference(bean, RequestHolds.class, context);
            requestHolds = known;
        }
        return known;
    }
}
