package org.redislocked.core;

/**
 * Watches entries that code has made by hand, and so may forget to leave. A port: {@code cdi} implements it.
 */
@FunctionalInterface
public interface LeakGuard {

    /** For where nobody watches. */
    LeakGuard NONE = entry -> {};

    /** The current thread has entered a lock, perhaps again. */
    void entered(GuardedEntry entry);

    /** An entry, for its guard. Equal if they are of one hold and depth. */
    interface GuardedEntry {

        /** {@return whether it was not left yet} */
        boolean isOpen();

        /**
         * Leaves it in place of who should have, and says so in the log. To be called when its code is certain to have
         * ended.
         */
        void leaveBehind();
    }
}
