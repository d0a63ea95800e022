package org.redislocked.cdi;

import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.RequestScoped;
import java.util.LinkedHashSet;
import java.util.Set;
import org.redislocked.core.LeakGuard.GuardedHold;

/** The holds that a request has taken by hand. What it has not given back at its end, it never will. */
@RequestScoped
public class RequestHolds {

    /** Of one request, but perhaps of several threads. */
    private final Set<GuardedHold> open = new LinkedHashSet<>(2);

    /** Notes a hold, {@linkplain #identity() with the same answer}, and forgets those that were given back: a request may take any number. */
    public synchronized Object note(GuardedHold hold) {
        open.removeIf(noted -> !noted.isEntered());
        open.add(hold);
        return this;
    }

    /** {@return this bean itself, where others have but what stands for it} */
    public Object identity() {
        return this;
    }

    @PreDestroy
    synchronized void leaveBehind() {
        for (GuardedHold hold : open) {
            if (hold.isEntered()) {
                hold.leaveBehind();
            }
        }
        open.clear();
    }
}
