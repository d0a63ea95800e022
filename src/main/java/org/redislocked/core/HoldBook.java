package org.redislocked.core;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.redislocked.Hold;

/**
 * Which thread owns which holds, innermost first, and which of them are to be watched. A lost hold stays with its owner
 * until that has left it, so that the owner is told at each step.
 *
 * <p>A map of the client's and no {@link ThreadLocal}: it ends with the client and leaves nothing in the threads of
 * the server. What it maps to is immutable, and so may be looked at by any thread.
 */
final class HoldBook {

    /** A hold of a thread, and those that it had before. */
    private record Owned(ActiveHold hold, @Nullable Owned earlier) {

        @Nullable
        Owned without(ActiveHold left) {
            if (hold == left) {
                return earlier;
            }
            return earlier == null ? this : new Owned(hold, earlier.without(left));
        }
    }

    private final Map<Thread, Owned> byOwner = new ConcurrentHashMap<>();

    /** Those that are neither lost nor left by their owner, as far as is known. */
    private final Set<ActiveHold> watched = ConcurrentHashMap.newKeySet();

    void add(ActiveHold hold) {
        link(hold);
        watched.add(hold);
        if (hold.grant().isOver()) {
            unwatch(hold); // whoever ended it has come before
        }
    }

    /** It is the current thread's from now on. */
    void link(ActiveHold hold) {
        byOwner.compute(Thread.currentThread(), (thread, owned) -> new Owned(hold, owned));
    }

    /** It is no longer the current thread's. */
    void unlink(ActiveHold hold) {
        unlink(Thread.currentThread(), hold);
    }

    /** It is no longer this thread's. */
    void unlink(Thread owner, ActiveHold hold) {
        byOwner.computeIfPresent(owner, (thread, owned) -> owned.without(hold));
    }

    /** It has ended or was lost: there is nothing to be done for it any more, but to tell its owner. */
    void unwatch(ActiveHold hold) {
        watched.remove(hold);
    }

    /** {@return whether there is nothing to be watched, nor anybody who has not left what he lost} */
    boolean isEmpty() {
        return byOwner.isEmpty() && watched.isEmpty();
    }

    /** {@return what is to be watched} May be iterated while it changes. */
    Set<ActiveHold> watched() {
        return watched;
    }

    /** {@return the hold that the current thread has of the lock, valid or lost} */
    @Nullable
    ActiveHold find(String lockName) {
        for (Owned owned = byOwner.get(Thread.currentThread()); owned != null; owned = owned.earlier) {
            if (owned.hold.lockName().equals(lockName)) {
                return owned.hold;
            }
        }
        return null;
    }

    /** {@return the innermost valid hold of the current thread} */
    Optional<Hold> current() {
        for (Owned owned = byOwner.get(Thread.currentThread()); owned != null; owned = owned.earlier) {
            if (owned.hold.grant().isValid()) {
                return Optional.of(owned.hold);
            }
        }
        return Optional.empty();
    }

    int threads() {
        return byOwner.size();
    }

    /** Forgets the lost holds of threads that have ended without leaving them. */
    void forgetTheDead() {
        byOwner.keySet().removeIf(thread -> !thread.isAlive());
    }
}
