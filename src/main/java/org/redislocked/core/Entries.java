package org.redislocked.core;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How often a hold is entered: by calls, which are its owner's and nest, and by what outlasts a call and has no thread, which
 * are transactions until their end and stages until their completion.
 *
 * <p>All are in one atomic word. So exactly one leaves last, whoever that is and on whatever thread, and after that
 * nobody enters any more. Calls are added and taken by the owner only. There is a new owner only once there are neither
 * calls nor stages, under which somebody works.
 */
final class Entries {

    private static final long CALL = 1;
    private static final long TRANSACTION = 1L << 32;
    private static final long STAGE = 1L << 48;

    private final AtomicLong word = new AtomicLong(CALL);

    /** {@return how many calls have entered} */
    int calls() {
        return calls(word.get());
    }

    /** {@return whether a transaction or stage has entered} */
    boolean isLasting() {
        return word.get() >= TRANSACTION;
    }

    /** {@return whether a stage has entered} */
    boolean hasStage() {
        return word.get() >= STAGE;
    }

    /** A call of the owner. */
    void enter() {
        if (calls() == Integer.MAX_VALUE) {
            throw new IllegalStateException("A lock cannot be entered more than " + Integer.MAX_VALUE + " times");
        }
        word.addAndGet(CALL); // never from zero: the owner has entered before
    }

    /** The first call of a new owner. {@return whether it has entered: no if everybody has left, or somebody works} */
    boolean adopt() {
        long before;
        do {
            before = word.get();
            if (before == 0 || calls(before) > 0 || before >= STAGE) {
                return false;
            }
        } while (!word.compareAndSet(before, before + CALL));
        return true;
    }

    /** By the owner. */
    void enterTransaction() {
        word.addAndGet(TRANSACTION);
    }

    /** The owner's innermost call is the entry of a stage from now on. */
    void callToStage() {
        word.addAndGet(STAGE - CALL);
    }

    /** {@return whether nobody is left} */
    boolean leave() {
        return word.addAndGet(-CALL) == 0;
    }

    /** {@return whether nobody is left} */
    boolean leaveTransaction() {
        return word.addAndGet(-TRANSACTION) == 0;
    }

    /** {@return whether nobody is left} */
    boolean leaveStage() {
        return word.addAndGet(-STAGE) == 0;
    }

    private static int calls(long word) {
        return (int) word;
    }
}
