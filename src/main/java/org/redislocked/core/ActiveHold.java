package org.redislocked.core;

import java.time.Duration;
import java.util.BitSet;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.redislocked.Hold;

/**
 * A hold, its owner, and how it was entered.
 *
 * <p>Count and entries are the owner thread's alone; {@link #isRenewed()} may be asked by any thread.
 */
final class ActiveHold implements Hold {

    private final Grant grant;
    private final LockQueue queue;
    private final Thread owner;
    private final LongSupplier nanoTime;

    private int count;
    /** Which entries, by their depth, came without an explicit lease. */
    private final BitSet renewedEntries = new BitSet(1);

    private volatile boolean renewed;

    /** What ended it before its owner left; written before the grant is seen as lost, by whoever made it so. */
    private volatile @Nullable String lossReason;

    ActiveHold(Grant grant, LockQueue queue, Thread owner, Lease lease, LongSupplier nanoTime) {
        this.grant = grant;
        this.queue = queue;
        this.owner = owner;
        this.nanoTime = nanoTime;
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
        long remainingNanos = grant.deadlineNanos() - nanoTime.getAsLong();
        return grant.isActive() && remainingNanos > 0 ? Duration.ofNanos(remainingNanos) : Duration.ZERO;
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
