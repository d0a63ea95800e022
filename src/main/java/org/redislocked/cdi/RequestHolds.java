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

    /** Notes a hold, and forgets those that were given back: a request may take any number. */
    public synchronized void note(GuardedHold hold) {
        open.removeIf(noted -> !noted.isEntered());
        open.add(hold);
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
