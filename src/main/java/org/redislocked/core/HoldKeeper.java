package org.redislocked.core;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.redislocked.LockLost;
import org.redislocked.core.LockStore.Renewal;

/**
 * What happens to a hold between its acquisition and its release: its count is written, its lease is extended at its
 * owner's wish, or it is lost.
 *
 * <p>Any thread may lose a hold that this client can no longer be certain of, and only the first call counts.
 */
final class HoldKeeper {

    private static final String NOT_OWNED = "Redis no longer knew it";

    /** So that the lease that it takes is not longer than any may be. */
    private static final Duration LONGEST_ENSURED = Duration.ofDays(300);

    /** Between tries to extend a lease at its owner's wish. */
    private static final Duration FIRST_PAUSE = Duration.ofMillis(20);

    private static final Duration LONGEST_PAUSE = Duration.ofMillis(500);

    private static final int TRIES_A_LEASE = 6;

    private final LockStore store;
    private final LockSettings settings;
    private final HoldBook book;
    private final LockQueues queues;
    private final Releaser releaser;
    private final LossNews news;
    private final LongSupplier nanoTime;

    HoldKeeper(
            LockStore store,
            LockSettings settings,
            HoldBook book,
            LockQueues queues,
            Releaser releaser,
            LossNews news,
            LongSupplier nanoTime) {
        this.store = store;
        this.settings = settings;
        this.book = book;
        this.queues = queues;
        this.releaser = releaser;
        this.news = news;
        this.nanoTime = nanoTime;
    }

    /** Writes the hold count to the store and extends the lease, if that is not zero. For the owner only. */
    @Nullable
    StoreException record(ActiveHold hold, Duration leaseTime) {
        Grant grant = hold.grant();
        long sent = sending(grant, leaseTime);
        try {
            if (!store.count(grant.key().lockName(), grant.key().grantId(), hold.shownCount(), leaseTime)) {
                loseUnowned(hold);
            } else if (!leaseTime.isZero()) {
                grant.extend(Lease.explicit(leaseTime).deadlineNanos(sent));
            }
            return null;
        } catch (StoreException e) {
            return e;
        }
    }

    /** Notes on the grant what is about to be sent, and {@return when}: its deadline counts from then. */
    private long sending(Grant grant, Duration leaseTime) {
        long sent = nanoTime.getAsLong();
        grant.sending(sent + Nanos.of(leaseTime) + settings.operationTimeout().toNanos());
        return sent;
    }

    /** For who has an entry, so that nobody else can have released it. */
    void requireValid(ActiveHold hold) {
        loseIfDue(hold);
        if (!hold.grant().isActive()) {
            throw LockErrors.lost(hold);
        }
    }

    /** For who has left, so that the last one may have released it since. */
    void refuseIfLost(ActiveHold hold) {
        loseIfDue(hold);
        if (hold.grant().isLost()) {
            throw LockErrors.lost(hold);
        }
    }

    /** {@link org.redislocked.Hold#ensureHeld} */
    void ensureHeld(ActiveHold hold, Duration time) {
        if (time.compareTo(LONGEST_ENSURED) > 0) {
            throw new IllegalArgumentException(
                    hold + " cannot be ensured for " + time + ", but for " + LONGEST_ENSURED + " at the most");
        }
        // So much that it still reaches that far when the answer arrives.
        Duration wanted = time.isNegative() ? Duration.ZERO : time;
        Lease lease = Lease.reaching(wanted.plus(settings.operationTimeout()), settings.leaseTime());
        long giveUpNanos = nanoTime.getAsLong() + Nanos.of(settings.unavailableTimeout());
        Backoff backoff = new Backoff(FIRST_PAUSE, LONGEST_PAUSE);
        try (Patience patience = Patience.uninterruptible(nanoTime)) {
            while (true) {
                requireHeld(hold);
                if (hold.remainingLease().compareTo(wanted) >= 0) {
                    return;
                }
                StoreException failure = extend(List.of(hold), lease);
                if (failure == null) {
                    continue;
                }
                requireHeld(hold);
                if (failure.kind() == StoreException.Kind.REFUSED || Nanos.reached(giveUpNanos, nanoTime.getAsLong())) {
                    throw LockErrors.unavailable(hold.lockName(), "its lease could not be extended", failure);
                }
                long untilLost = hold.remainingLease().toNanos() + 1;
                patience.sleep(this, Math.min(backoff.nextNanos(), untilLost), () -> false);
            }
        } catch (InterruptedException e) {
            throw new AssertionError("An uninterruptible wait was interrupted", e);
        }
    }

    /**
     * Extends leases that are near their end, before a commit that they should outlast.
     *
     * @throws org.redislocked.RedisLockLostException if a hold was lost, or there is too little left of its lease
     */
    void requireHeldForCommit(List<ActiveHold> holds) {
        holds.forEach(this::requireValid);
        extendForCommit(holds);
        // Only now, and without talking to the store in between: while one was extended, another may have ended.
        for (ActiveHold hold : holds) {
            requireValid(hold);
            Duration margin = min(settings.commandTimeout(), hold.leaseTime().dividedBy(2));
            Duration left = hold.remainingLease();
            if (left.compareTo(margin) < 0) {
                throw LockErrors.tooLateToCommit(hold, left, margin);
            }
        }
    }

    /** All at once. Whether they could be extended, what is left of their leases tells. */
    private void extendForCommit(List<ActiveHold> holds) {
        Duration half = settings.leaseTime().dividedBy(2);
        List<ActiveHold> due = holds.stream()
                .filter(hold -> hold.isRenewed() && hold.remainingLease().compareTo(half) < 0)
                .toList();
        if (!due.isEmpty()) {
            var unused = extend(due, Lease.renewed(settings.leaseTime()));
        }
    }

    private static Duration min(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }

    private void requireHeld(ActiveHold hold) {
        loseIfDue(hold);
        if (!hold.grant().isActive()) {
            throw hold.grant().isLost() ? LockErrors.lost(hold) : LockErrors.ended(hold);
        }
    }

    /** Extends leases once, on the connection of the renewals: that is there when the pool is exhausted. */
    private @Nullable StoreException extend(List<ActiveHold> holds, Lease lease) {
        Duration limit = settings.leaseTime();
        long sent = nanoTime.getAsLong();
        for (ActiveHold hold : holds) {
            sent = sending(hold.grant(), lease.time());
            limit = min(limit, limitOfOneTry(hold.grant()));
        }
        try {
            List<Renewal> outcomes =
                    store.renew(holds.stream().map(hold -> hold.grant().key()).toList(), lease.time(), limit);
            for (int i = 0; i < outcomes.size(); i++) {
                switch (outcomes.get(i)) {
                    case RENEWED -> holds.get(i).grant().extend(lease.deadlineNanos(sent));
                    case NOT_OWNED -> loseUnowned(holds.get(i));
                    case FAILED -> {}
                }
            }
            return outcomes.contains(Renewal.FAILED)
                    ? new StoreException(StoreException.Kind.UNKNOWN, "The renewal was not answered in time.", null)
                    : null;
        } catch (StoreException e) {
            return e;
        }
    }

    /** Short, for the renewals of all other holds wait for the same connection. */
    private Duration limitOfOneTry(Grant grant) {
        long limitNanos = Nanos.of(settings.leaseTime()) / TRIES_A_LEASE;
        limitNanos = Math.min(limitNanos, settings.operationTimeout().toNanos());
        return Duration.ofNanos(Math.min(limitNanos, grant.remainingLease().toNanos()));
    }

    /** Loses the hold if its deadline has passed. Whoever notices has to say it. */
    void loseIfDue(ActiveHold hold) {
        if (hold.grant().isActive() && hold.grant().isDue()) {
            lose(hold, reasonOfEnd(hold));
        }
    }

    private static String reasonOfEnd(ActiveHold hold) {
        if (hold.isRenewalStopped()) {
            return "it was held for longer than redis-lock.max-hold-time, and its lease has ended";
        }
        return hold.isRenewed() ? "its lease ended before it could be renewed" : "its lease has ended";
    }

    /** Loses the hold, as the store has answered that the lock is not its own. */
    void loseUnowned(ActiveHold hold) {
        lose(hold, NOT_OWNED);
    }

    /**
     * Loses the hold, unless it has ended or was lost before.
     *
     * @param reason what happened, as a part of a sentence
     */
    void lose(ActiveHold hold, String reason) {
        if (hold.grant().isActive()) {
            hold.lossReason(reason);
        }
        if (!hold.grant().lose()) {
            return;
        }
        Duration late = hold.grant().overdue();
        book.unwatch(hold);
        hold.queue().vacate(hold);
        queues.leave(hold.queue());
        try {
            releaser.releaseInBackground(hold.grant());
        } finally {
            news.lost(hold, late, reason);
        }
    }

    /** Its release has shown that it was lost before. */
    void lostAtRelease(ActiveHold hold) {
        String reason = "it was somebody else's or free in Redis when it was to be released";
        hold.lossReason(reason);
        news.lost(hold, Duration.ZERO, reason);
    }

    /** Tells somebody of a loss that was told before. */
    void tell(Consumer<? super LockLost> callback, LockLost loss) {
        news.tell(callback, loss);
    }
}
