package org.redislocked.cdi;

import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.RequestScoped;
import java.util.LinkedHashSet;
import java.util.Set;
import org.redislocked.core.LeakGuard.GuardedEntry;

/** The entries into locks that a request has made by hand. What it has not left at its end, it never will. */
@RequestScoped
public class RequestHolds {

    /** Outer ones first. Of one request, but perhaps of several threads. */
    private final Set<GuardedEntry> open = new LinkedHashSet<>(2);

    /** Notes an entry, and forgets those that were left: a request may make any number. */
    public synchronized void note(GuardedEntry entry) {
        open.removeIf(noted -> !noted.isOpen());
        open.add(entry);
    }

    @PreDestroy
    synchronized void leaveBehind() {
        for (GuardedEntry entry : open) {
            if (entry.isOpen()) {
                entry.leaveBehind();
            }
        }
        open.clear();
    }
}
