package org.redislocked.core;

import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.jspecify.annotations.Nullable;
import org.redislocked.Hold;

/**
 * Which thread owns which holds, innermost first, and which of them are to be watched. A lost hold stays with its owner
 * until that has left it, so that the owner is told at each step.
 *
 * <p>A map of the client's and no {@link ThreadLocal}: it ends with the client and leaves nothing in the threads of
 * the server. What it maps to changes only under the map's own lock of the entry, and may be looked at by any thread.
 */
final class HoldBook {

    private final Map<Thread, Deque<ActiveHold>> byOwner = new ConcurrentHashMap<>();

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
        byOwner.compute(Thread.currentThread(), (thread, owned) -> {
            Deque<ActiveHold> holds = owned == null ? new ConcurrentLinkedDeque<>() : owned;
            holds.addFirst(hold);
            return holds;
        });
    }

    /** It is no longer the current thread's. */
    void unlink(ActiveHold hold) {
        unlink(Thread.currentThread(), hold);
    }

    /** It is no longer this thread's. */
    void unlink(Thread owner, ActiveHold hold) {
        byOwner.computeIfPresent(owner, (thread, owned) -> {
            owned.remove(hold);
            return owned.isEmpty() ? null : owned;
        });
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
        for (ActiveHold hold : mine()) {
            if (hold.lockName().equals(lockName)) {
                return hold;
            }
        }
        return null;
    }

    /** {@return the innermost valid hold of the current thread} */
    Optional<Hold> current() {
        for (ActiveHold hold : mine()) {
            if (hold.grant().isValid()) {
                return Optional.of(hold);
            }
        }
        return Optional.empty();
    }

    private Iterable<ActiveHold> mine() {
        Deque<ActiveHold> owned = byOwner.get(Thread.currentThread());
        return owned == null ? List.of() : owned;
    }

    int threads() {
        return byOwner.size();
    }

    /** Forgets the lost holds of threads that have ended without leaving them. */
    void forgetTheDead() {
        byOwner.keySet().removeIf(thread -> !thread.isAlive());
    }
}
