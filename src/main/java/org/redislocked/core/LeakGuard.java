package org.redislocked.core;

import org.jspecify.annotations.Nullable;

/** Watches holds that code has taken by hand, and so may have forgotten to give back. A port: {@code cdi} implements it. */
public interface LeakGuard {

    /** For where nobody watches. */
    LeakGuard NONE = new LeakGuard() {
        @Override
        public @Nullable Object request() {
            return null;
        }

        @Override
        public @Nullable Object entered(GuardedHold hold) {
            return null;
        }
    };

    /** {@return what the request that the current thread serves is known by; null if it serves none} */
    @Nullable
    Object request();

    /** The current thread has entered the hold, perhaps again. {@return as above} */
    @Nullable
    Object entered(GuardedHold hold);

    /** A hold, for its guard. Equal if they are of one hold: the first one counts. */
    interface GuardedHold {

        /** {@return whether a call has entered and not left it} */
        boolean isEntered();

        /** The request has ended, and with it, as far as is known, the calls that should have left. */
        void leaveBehind();
    }
}
