package org.redislocked.core;

import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.redislocked.Hold;
import org.redislocked.LockLost;

/**
 * A hold, its owner, and how it was entered.
 *
 * <p>Count and entries are the owner thread's alone; what {@link Hold} offers, {@link #isRenewed()} and what concerns its
 * loss may be asked by any thread.
 */
final class ActiveHold implements Hold {

    private final Grant grant;
    private final LockQueue queue;
    private final Thread owner;
    private final HoldKeeper keeper;

    private int count;
    /** Which entries, by their depth, came without an explicit lease. */
    private final BitSet renewedEntries = new BitSet(1);

    private volatile boolean renewed;

    /** What ended it before its owner left; written before the grant is seen as lost, by whoever made it so. */
    private volatile @Nullable String lossReason;

    /** Not the hold itself, which applications have and may lock. */
    private final Object lossMutex = new Object();

    // guarded by lossMutex
    private @Nullable LockLost loss;

    private @Nullable List<Consumer<? super LockLost>> lossCallbacks;

    ActiveHold(Grant grant, LockQueue queue, Thread owner, Lease lease, HoldKeeper keeper) {
        this.grant = grant;
        this.queue = queue;
        this.owner = owner;
        this.keeper = keeper;
        enter(lease);
    }

    @Override
    public String lockName() {
        return grant.key().lockName();
    }

    @Override
    public String id() {
        return grant.key().grantId() + "#1";
    }

    @Override
    public long fencingToken() {
        return grant.token();
    }

    @Override
    public Duration remainingLease() {
        return grant.remainingLease();
    }

    @Override
    public void ensureHeld(Duration time) {
        keeper.ensureHeld(this, time);
    }

    @Override
    public void onLost(Consumer<? super LockLost> callback) {
        Objects.requireNonNull(callback, "callback"); // now, not when it is too late
        LockLost told;
        synchronized (lossMutex) {
            told = loss;
            if (told == null) {
                if (lossCallbacks == null) {
                    lossCallbacks = new ArrayList<>(1);
                }
                lossCallbacks.add(callback);
            }
        }
        if (told != null) {
            keeper.tell(callback, told);
        }
    }

    /** {@return who is to be told} From now on, whoever asks to be told is told at once. */
    List<Consumer<? super LockLost>> lost(LockLost event) {
        synchronized (lossMutex) {
            loss = event;
            List<Consumer<? super LockLost>> callbacks = lossCallbacks == null ? List.of() : lossCallbacks;
            lossCallbacks = null;
            return callbacks;
        }
    }

    Grant grant() {
        return grant;
    }

    LockQueue queue() {
        return queue;
    }

    Thread owner() {
        return owner;
    }

    int count() {
        return count;
    }

    void enter(Lease lease) {
        renewedEntries.set(count, lease.renewed());
        count = Math.incrementExact(count);
        renewed = !renewedEntries.isEmpty();
    }

    void exit() {
        count--;
        renewedEntries.clear(count);
        renewed = !renewedEntries.isEmpty();
    }

    /** {@return whether an open entry came without an explicit lease} */
    boolean isRenewed() {
        return renewed;
    }

    void lossReason(String reason) {
        lossReason = reason;
    }

    @Nullable
    String lossReason() {
        return lossReason;
    }

    @Override
    public String toString() {
        return "Hold " + id() + " of lock '" + lockName() + "'";
    }
}
