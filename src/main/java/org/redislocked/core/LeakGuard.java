package org.redislocked.core;

/**
 * Watches holds that code has taken by hand, and so may have forgotten to give back. A port: {@code cdi} implements it.
 */
@FunctionalInterface
public interface LeakGuard {

    /** For where nobody watches. */
    LeakGuard NONE = hold -> {};

    /** The current thread has entered the hold, perhaps again. */
    void entered(GuardedHold hold);

    /** A hold, for its guard. Equal if they are of one hold: the first one counts. */
    interface GuardedHold {

        /** {@return whether a call has entered and not left it} */
        boolean isEntered();

        /**
         * Leaves it in place of the calls that should have, and says so in the log. To be called when these are certain
         * to be over.
         */
        void leaveBehind();
    }
}
