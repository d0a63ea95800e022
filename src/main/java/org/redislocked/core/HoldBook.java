package org.redislocked.core;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.redislocked.Hold;

/**
 * Which thread owns which holds, innermost first. A lost hold stays until its owner has left it, so that the owner is
 * told at each step.
 *
 * <p>A map of the client's and no {@link ThreadLocal}: it ends with the client and leaves nothing in the threads of
 * the server. Only the thread itself touches its entry, but for after its death.
 */
final class HoldBook {

    private final Map<Thread, Deque<ActiveHold>> holds = new ConcurrentHashMap<>();

    void add(ActiveHold hold) {
        holds.computeIfAbsent(hold.owner(), thread -> new ArrayDeque<>(2)).addFirst(hold);
    }

    void remove(ActiveHold hold) {
        Deque<ActiveHold> mine = holds.get(hold.owner());
        if (mine != null && mine.remove(hold) && mine.isEmpty()) {
            holds.remove(hold.owner());
        }
    }

    /** {@return the hold that the current thread has of the lock, valid or lost} */
    @Nullable
    ActiveHold find(String lockName) {
        Deque<ActiveHold> mine = holds.get(Thread.currentThread());
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
        Deque<ActiveHold> mine = holds.get(Thread.currentThread());
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
        return holds.size();
    }

    /** Forgets the lost holds of threads that have ended without leaving them. */
    void forgetTheDead() {
        holds.keySet().removeIf(thread -> !thread.isAlive());
    }
}
