package org.redislocked.core;

import java.util.ArrayDeque;
import java.util.Deque;
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
 * the server. Only the thread itself touches its entry, but for after its death.
 */
final class HoldBook {

    private final Map<Thread, Deque<ActiveHold>> byOwner = new ConcurrentHashMap<>();

    /** Those that are neither lost nor left by their owner, as far as is known. */
    private final Set<ActiveHold> watched = ConcurrentHashMap.newKeySet();

    void add(ActiveHold hold) {
        byOwner.computeIfAbsent(hold.owner(), thread -> new ArrayDeque<>(2)).addFirst(hold);
        watched.add(hold);
        if (hold.grant().isOver()) {
            unwatch(hold); // whoever ended it has come before
        }
    }

    /** The owner has left it. */
    void remove(ActiveHold hold) {
        Deque<ActiveHold> mine = byOwner.get(hold.owner());
        if (mine != null && mine.remove(hold) && mine.isEmpty()) {
            byOwner.remove(hold.owner());
        }
        unwatch(hold);
    }

    /** It was lost: there is nothing to be done for it any more, but to tell its owner. */
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
        Deque<ActiveHold> mine = byOwner.get(Thread.currentThread());
        if (mine != null) {
            for (ActiveHold hold : mine) {
                if (hold.lockName().equals(lockName)) {
                    return hold;
                }
            }
        }
        return null;
    }

    /** {@return the innermost valid hold of the current thread} */
    Optional<Hold> current() {
        Deque<ActiveHold> mine = byOwner.get(Thread.currentThread());
        if (mine != null) {
            for (ActiveHold hold : mine) {
                if (hold.grant().isValid()) {
                    return Optional.of(hold);
                }
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
