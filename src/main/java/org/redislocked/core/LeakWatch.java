package org.redislocked.core;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/**
 * Leaves holds that were taken by hand and are forgotten: at the end of their request, by the thread that has them.
 *
 * <p>Another thread that ends the request, as with asynchronous servlets, cannot know whether the owner works under the
 * lock yet. Then the hold is reported, and left once its thread is seen in another request. Nor is it that thread's to enter
 * there.
 */
final class LeakWatch {

    private static final Logger LOG = System.getLogger("org.redislocked");

    private final LeakGuard guard;
    private final boolean placesWanted;
    private final HoldBook book;
    private final HoldKeeper keeper;
    private final LockExit exit;

    LeakWatch(LeakGuard guard, LockSettings settings, HoldBook book, HoldKeeper keeper, LockExit exit) {
        this.guard = guard;
        this.placesWanted = guard != LeakGuard.NONE || settings.watchesLongHolds();
        this.book = book;
        this.keeper = keeper;
        this.exit = exit;
    }

    /** The current thread has entered the hold by hand. */
    void entered(ActiveHold hold) {
        if (!placesWanted) {
            return;
        }
        GuardedCalls calls = hold.guardedCalls();
        if (calls.count() == 0) {
            calls.begin(Places.ofCaller());
        }
        calls.enter(guard.entered(new Guarded(this, hold, calls.period(), calls.count())));
    }

    /** {@return the hold that the current thread has and may enter again} */
    @Nullable
    ActiveHold reenterable(String lockName) {
        ActiveHold own = book.find(lockName);
        if (own == null || own.guardedCalls().count() == 0) {
            return own;
        }
        Object request = guard.request();
        if (!own.guardedCalls().isOfOther(request)) {
            return own;
        }
        if (own.guardedCalls().isRequestEnded()) {
            leave(own, 0);
        } else { // its request goes on without this thread
            own.guardedCalls().leftByItsThread();
        }
        return null;
    }

    private void leaveBehind(ActiveHold hold, int before) {
        GuardedCalls calls = hold.guardedCalls();
        Thread owner = hold.owner();
        if (owner == Thread.currentThread()) {
            leave(hold, before);
        } else if (owner != null && calls.isLeftByItsThread()) {
            tell(hold);
            keeper.lose(hold, "it was not unlocked before the end of the request that took it");
            book.unlink(owner, hold);
        } else if (owner != null) {
            calls.requestEnded();
            LOG.log(
                    Level.ERROR,
                    "Lock ''{0}'' was not unlocked by thread {1} before the end of the request that took it, at {2}. It is"
                            + " kept for as long as this thread may work yet: until it takes the lock in another request,"
                            + " or for the max-hold-time. Unlock it in a finally block.",
                    hold.lockName(),
                    owner.getName(),
                    calls.place());
        }
    }

    /** By the owner, which has forgotten it. */
    private void leave(ActiveHold hold, int before) {
        tell(hold);
        for (int calls = hold.guardedCalls().count(); calls > before; calls--) {
            try {
                exit.exit(hold, false, true);
            } catch (RuntimeException e) { // as when it was lost, which is told elsewhere
                LOG.log(Level.DEBUG, "Left behind: {0}", e.toString());
            }
        }
    }

    private static void tell(ActiveHold hold) {
        LOG.log(
                Level.ERROR,
                "Lock ''{0}'' was not unlocked before the end of the request that took it, at {1}; it is now. Unlock it in"
                        + " a finally block.",
                hold.lockName(),
                hold.guardedCalls().place());
    }

    /**
     * A hold as its guard first saw it.
     *
     * @param before how many calls had come by hand before, outside the guard's request: those go on after its end
     */
    private record Guarded(LeakWatch watch, ActiveHold hold, int period, int before) implements LeakGuard.GuardedHold {

        @Override
        public boolean isEntered() {
            GuardedCalls calls = hold.guardedCalls();
            return calls.period() == period && calls.count() > before;
        }

        @Override
        public void leaveBehind() {
            watch.leaveBehind(hold, before);
        }

        /** Not that of records: for it, the JVM would keep the class of the component, and our class loader, for good. */
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Guarded guarded && guarded.hold == hold && guarded.period == period;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(hold) + period;
        }
    }
}
