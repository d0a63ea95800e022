package org.redislocked.core;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.redislocked.core.LockStore.GrantKey;
import org.redislocked.core.LockStore.Renewal;

/**
 * One pass over the holds of this client: it extends the leases that are to be renewed, in batches, and loses
 * the holds whose deadline has passed or whose owner is dead.
 */
final class Renewals {

    private static final Logger LOG = System.getLogger("org.redislocked");
    private static final int BATCH = 500;

    private final LockStore store;
    private final LockSettings settings;
    private final HoldBook book;
    private final HoldKeeper keeper;
    private final LongSupplier nanoTime;
    private final Lease lease;
    private final LongHolds longHolds;
    private final AtomicBoolean failing = new AtomicBoolean();

    Renewals(LockStore store, LockSettings settings, HoldBook book, HoldKeeper keeper, LongSupplier nanoTime) {
        this.store = store;
        this.settings = settings;
        this.book = book;
        this.keeper = keeper;
        this.nanoTime = nanoTime;
        this.lease = Lease.renewed(settings.leaseTime());
        this.longHolds = new LongHolds(settings, nanoTime);
    }

    boolean isIdle() {
        return book.isEmpty();
    }

    void loseAll(String reason) {
        book.watched().forEach(hold -> keeper.lose(hold, reason));
    }

    /**
     * Renews what is to be renewed, once.
     *
     * @param limit for how long it may take
     * @return whether everything was answered
     */
    boolean pass(Duration limit) {
        List<ActiveHold> due = collect();
        long endNanos = nanoTime.getAsLong() + limit.toNanos();
        String trouble = null;
        for (int from = 0; from < due.size(); from += BATCH) {
            // Looked at once more: since they were collected, the batches before may have taken long.
            List<ActiveHold> batch = due.subList(from, Math.min(from + BATCH, due.size())).stream()
                    .filter(Renewals::isToBeRenewed)
                    .toList();
            if (batch.isEmpty()) {
                continue;
            }
            try {
                if (!renew(batch, endNanos)) {
                    trouble = "Not everything was answered in time.";
                }
            } catch (RuntimeException e) { // of whatever kind: one batch must not keep the others from renewal
                trouble = String.valueOf(e.getMessage());
            }
        }
        if (!due.isEmpty()) { // else nothing was asked, and nothing is known
            note(trouble);
        }
        return trouble == null;
    }

    private static boolean isToBeRenewed(ActiveHold hold) {
        return hold.isRenewed() && hold.grant().isActive();
    }

    /** {@return what is to be renewed, the earliest deadline first} */
    private List<ActiveHold> collect() {
        List<ActiveHold> due = new ArrayList<>();
        for (ActiveHold hold : book.watched()) {
            keeper.loseIfDue(hold);
            Thread owner = hold.owner();
            // Asked for once more, as it may have left with its last call before it ended.
            if (owner != null && !owner.isAlive() && hold.owner() == owner) {
                keeper.lose(hold, "its thread has ended without releasing it");
            }
            longHolds.check(hold);
            if (isToBeRenewed(hold)) {
                due.add(hold);
            }
        }
        book.forgetTheDead();
        due.sort((a, b) -> Long.signum(a.grant().deadlineNanos() - b.grant().deadlineNanos()));
        return due;
    }

    /** {@return whether everything was answered} */
    private boolean renew(List<ActiveHold> batch, long endNanos) {
        long sent = nanoTime.getAsLong();
        if (Nanos.reached(endNanos, sent)) {
            return false;
        }
        List<GrantKey> keys = new ArrayList<>(batch.size());
        long aliveUntil =
                sent + Nanos.of(lease.time()) + settings.operationTimeout().toNanos();
        for (ActiveHold hold : batch) {
            hold.grant().sending(aliveUntil);
            keys.add(hold.grant().key());
        }
        List<Renewal> outcomes = store.renew(keys, lease.time(), Duration.ofNanos(endNanos - sent));
        for (int i = 0; i < batch.size(); i++) {
            ActiveHold hold = batch.get(i);
            switch (outcomes.get(i)) {
                // The deadline counts from before the batch was sent, not from the answer.
                case RENEWED -> hold.grant().extend(lease.deadlineNanos(sent));
                // Of a hold that was released meanwhile this is no news, and it is not lost by it.
                case NOT_OWNED -> keeper.loseUnowned(hold);
                case FAILED -> {}
            }
        }
        return !outcomes.contains(Renewal.FAILED);
    }

    private void note(@Nullable String trouble) {
        if (trouble == null) {
            if (failing.compareAndSet(true, false)) {
                LOG.log(Level.INFO, "Leases are renewed again.");
            }
        } else if (failing.compareAndSet(false, true)) {
            LOG.log(
                    Level.WARNING,
                    "Leases could not be renewed: {0} It is tried again until they end, {1} after they were last"
                            + " extended.",
                    trouble,
                    lease.time());
        }
    }
}
