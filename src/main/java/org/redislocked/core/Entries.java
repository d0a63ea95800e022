package org.redislocked.core;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How often a hold is entered: by calls, which are its owner's and nest, and by what outlasts a call and has no thread, a
 * transaction until its end or a stage until its completion.
 *
 * <p>Both are in one atomic word. So exactly one leaves last, whoever that is and on whatever thread, and after that
 * nobody enters any more. Calls are added and taken by the owner only; there is a new owner only once there are none.
 */
final class Entries {

    private static final long CALL = 1;
    private static final long LASTING = 1L << Integer.SIZE;

    private final AtomicLong word = new AtomicLong(CALL);

    /** {@return how many calls have entered} */
    int calls() {
        return calls(word.get());
    }

    /** {@return whether a transaction or stage has entered} */
    boolean isLasting() {
        return word.get() >= LASTING;
    }

    /** A call of the owner. */
    void enter() {
        if (calls() == Integer.MAX_VALUE) {
            throw new IllegalStateException("A lock cannot be entered more than " + Integer.MAX_VALUE + " times");
        }
        word.addAndGet(CALL); // never from zero: the owner has entered before
    }

    /** The first call of a new owner. {@return whether it has entered: no if everybody has left, or another was first} */
    boolean adopt() {
        long before;
        do {
            before = word.get();
            if (before == 0 || calls(before) > 0) {
                return false;
            }
        } while (!word.compareAndSet(before, before + CALL));
        return true;
    }

    /** By the owner, on behalf of a transaction. */
    void enterLasting() {
        word.addAndGet(LASTING);
    }

    /** The owner's innermost call is the entry of a stage from now on. */
    void callToLasting() {
        word.addAndGet(LASTING - CALL);
    }

    /** {@return whether nobody is left} */
    boolean leave() {
        return word.addAndGet(-CALL) == 0;
    }

    /** {@return whether nobody is left} */
    boolean leaveLasting() {
        return word.addAndGet(-LASTING) == 0;
    }

    private static int calls(long word) {
        return (int) word;
    }
}
