package org.redislocked.core;

import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.redislocked.Hold;
import org.redislocked.LockLost;

/**
 * A hold, its owner, and how it was entered.
 *
 * <p>Calls are for the owner thread alone to enter and leave; what {@link Hold} offers, what {@link #isRenewed()} says, what
 * outlasts calls and what concerns its loss is for any thread.
 */
final class ActiveHold implements Hold {

    private final Grant grant;
    private final LockQueue queue;
    private final HoldKeeper keeper;
    private final Duration leaseTime;
    private final long sinceNanos;
    private final Entries entries = new Entries();

    /** Null while no call has entered, but a transaction or stage. */
    private volatile @Nullable Thread owner = Thread.currentThread();

    /** Which calls, by their depth, came without an explicit lease. The owner's. */
    private final BitSet renewedCalls = new BitSet(1);

    private volatile boolean callsRenewed;
    private final AtomicInteger renewedLasting = new AtomicInteger();

    /** Whether it is left to its lease, whatever its entries want. */
    private volatile boolean renewalStopped;

    /** Whether it was reported as one that lasts for too long. By one pass of the renewal at a time. */
    private volatile boolean reported;

    private final GuardedCalls guardedCalls = new GuardedCalls();

    /** What ended it before its owner left; written before the grant is seen as lost, by whoever made it so. */
    private volatile @Nullable String lossReason;

    /** Not the hold itself, which applications have and may lock. */
    private final Object lossMutex = new Object();

    // guarded by lossMutex
    private @Nullable LockLost loss;

    private @Nullable List<Consumer<? super LockLost>> lossCallbacks;

    /** Entered once, by the current thread. */
    ActiveHold(Grant grant, LockQueue queue, Lease lease, HoldKeeper keeper, long sinceNanos) {
        this.grant = grant;
        this.queue = queue;
        this.keeper = keeper;
        this.leaseTime = lease.time();
        this.sinceNanos = sinceNanos;
        noteCall(lease);
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

    /** {@return whose calls have entered; null if none has} */
    @Nullable
    Thread owner() {
        return owner;
    }

    /** {@return what it was acquired with} */
    Duration leaseTime() {
        return leaseTime;
    }

    long sinceNanos() {
        return sinceNanos;
    }

    /** {@return how many calls have entered} */
    int calls() {
        return entries.calls();
    }

    /** {@return what the store shows: how deep the calls are nested, but for where only a transaction or stage is left} */
    int shownCount() {
        return Math.max(1, calls());
    }

    GuardedCalls guardedCalls() {
        return guardedCalls;
    }

    /** {@return whether a stage has entered, under which somebody works} */
    boolean hasStage() {
        return entries.hasStage();
    }

    /** Another call of the owner. */
    void enter(Lease lease) {
        entries.enter();
        noteCall(lease);
    }

    /** The first call of the current thread, to which a transaction has brought the hold. {@return whether it has entered} */
    boolean adopt(Lease lease) {
        if (!entries.adopt()) {
            return false;
        }
        owner = Thread.currentThread();
        noteCall(lease);
        return true;
    }

    private void noteCall(Lease lease) {
        renewedCalls.set(calls() - 1, lease.renewed());
        callsRenewed = !renewedCalls.isEmpty();
    }

    /** The owner leaves with its innermost call. {@return whether nobody is left} */
    boolean leave() {
        if (calls() == 1 && entries.isLasting()) {
            owner = null;
        }
        forgetCall();
        return entries.leave();
    }

    /** {@return whether the innermost call came without an explicit lease} For the owner. */
    boolean isCallRenewed() {
        return renewedCalls.get(calls() - 1);
    }

    /** The innermost call's entry becomes that of a stage. {@return whether that has the lease renewed} */
    boolean callToStage() {
        boolean wasRenewed = isCallRenewed();
        if (wasRenewed) {
            renewLasting(); // first, so that it is renewed all along
        }
        if (calls() == 1) {
            owner = null;
        }
        forgetCall();
        entries.callToStage();
        return wasRenewed;
    }

    /** Before the call is gone, as its owner: from then on there may be another one. */
    private void forgetCall() {
        renewedCalls.clear(calls() - 1);
        callsRenewed = !renewedCalls.isEmpty();
    }

    /** By the owner, on behalf of a transaction. */
    void enterTransaction(boolean renewed) {
        if (renewed) {
            renewLasting();
        }
        entries.enterTransaction();
    }

    /** A transaction or stage wants the lease to be renewed. */
    void renewLasting() {
        renewedLasting.incrementAndGet();
    }

    /** {@return whether nobody is left} */
    boolean leaveTransaction(boolean wasRenewed) {
        stopLasting(wasRenewed);
        return entries.leaveTransaction();
    }

    /** {@return whether nobody is left} */
    boolean leaveStage(boolean wasRenewed) {
        stopLasting(wasRenewed);
        return entries.leaveStage();
    }

    private void stopLasting(boolean wasRenewed) {
        if (wasRenewed) {
            renewedLasting.decrementAndGet();
        }
    }

    /** {@return whether an open entry came without an explicit lease} */
    private boolean isRenewalWanted() {
        return callsRenewed || renewedLasting.get() > 0;
    }

    /** {@return whether it is to be renewed} */
    boolean isRenewed() {
        return isRenewalWanted() && !renewalStopped;
    }

    /** Leaves it to its lease. */
    void stopRenewal() {
        renewalStopped = true;
    }

    /** {@return whether it is not renewed, though its entries want it} */
    boolean isRenewalStopped() {
        return renewalStopped && isRenewalWanted();
    }

    /** {@return true for the first time} For whoever renews. */
    boolean isToBeReported() {
        boolean first = !reported;
        reported = true;
        return first;
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
