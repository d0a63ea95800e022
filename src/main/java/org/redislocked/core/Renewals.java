package org.redislocked.core;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.redislocked.core.LockStore.GrantKey;
import org.redislocked.core.LockStore.Renewal;

/**
 * The holds of this client, and one pass over them: it extends the leases that are to be renewed, in batches, and loses
 * the holds whose deadline has passed or whose owner is dead.
 */
final class Renewals {

    private static final Logger LOG = System.getLogger("org.redislocked");
    private static final int BATCH = 500;

    private final LockStore store;
    private final LockSettings settings;
    private final Losses losses;
    private final LongSupplier nanoTime;
    private final Lease lease;
    private final Set<ActiveHold> holds = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean failing = new AtomicBoolean();

    private final ReentrantLock mutex = new ReentrantLock();
    private final Condition idle = mutex.newCondition();
    private volatile boolean awaited;

    Renewals(LockStore store, LockSettings settings, Losses losses, LongSupplier nanoTime) {
        this.store = store;
        this.settings = settings;
        this.losses = losses;
        this.nanoTime = nanoTime;
        this.lease = Lease.renewed(settings.leaseTime());
    }

    void add(ActiveHold hold) {
        holds.add(hold);
    }

    void remove(ActiveHold hold) {
        holds.remove(hold);
        if (awaited && isIdle()) {
            mutex.lock();
            try {
                idle.signalAll();
            } finally {
                mutex.unlock();
            }
        }
    }

    boolean isIdle() {
        return holds.isEmpty();
    }

    /** Waits until no hold is left, or the time is over. */
    void awaitIdle(Duration limit) throws InterruptedException {
        awaited = true; // seen by every removal that this thread does not see
        long nanos = limit.toNanos();
        mutex.lock();
        try {
            while (!isIdle() && nanos > 0) {
                nanos = idle.awaitNanos(nanos);
            }
        } finally {
            mutex.unlock();
        }
    }

    void loseAll(String reason) {
        holds.forEach(hold -> losses.lose(hold, reason));
    }

    /**
     * Renews what is to be renewed, once.
     *
     * @param limit for how long it may take
     * @return whether everything was answered
     */
    boolean pass(Duration limit) {
        List<ActiveHold> due = new ArrayList<>();
        List<ActiveHold> over = new ArrayList<>();
        for (ActiveHold hold : holds) {
            losses.loseIfDue(hold);
            if (!hold.owner().isAlive()) {
                losses.lose(hold, "its thread has ended without releasing it");
            }
            if (!hold.grant().isActive()) {
                over.add(hold); // it ended before it was added
            } else if (hold.isRenewed()) {
                due.add(hold);
            }
        }
        over.forEach(this::remove);
        long endNanos = nanoTime.getAsLong() + limit.toNanos();
        boolean allAnswered = true;
        for (int from = 0; from < due.size(); from += BATCH) {
            List<ActiveHold> batch = due.subList(from, Math.min(from + BATCH, due.size()));
            allAnswered &= renew(batch, endNanos);
        }
        return allAnswered;
    }

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
        List<Renewal> outcomes;
        try {
            outcomes = store.renew(keys, lease.time(), Duration.ofNanos(endNanos - sent));
        } catch (StoreException e) {
            noteFailure(e.getMessage());
            return false;
        }
        boolean allAnswered = true;
        for (int i = 0; i < batch.size(); i++) {
            ActiveHold hold = batch.get(i);
            switch (outcomes.get(i)) {
                // The deadline counts from before the batch was sent, not from the answer.
                case RENEWED -> hold.grant().extend(lease.deadlineNanos(sent));
                // Of a hold that was released meanwhile this is no news, and it is not lost by it.
                case NOT_OWNED -> losses.lose(hold, LockEngine.NOT_OWNED);
                case FAILED -> allAnswered = false;
            }
        }
        if (allAnswered) {
            noteSuccess();
        } else {
            noteFailure("not all of a batch were answered in "
                    + Duration.ofNanos(endNanos - sent).toMillis() + " ms.");
        }
        return allAnswered;
    }

    private void noteFailure(String message) {
        if (failing.compareAndSet(false, true)) {
            LOG.log(
                    Level.WARNING,
                    "Leases could not be renewed: {0} It is tried again until they end, {1} s after they were last"
                            + " extended.",
                    message,
                    TimeUnit.NANOSECONDS.toSeconds(Nanos.of(lease.time())));
        }
    }

    private void noteSuccess() {
        if (failing.compareAndSet(true, false)) {
            LOG.log(Level.INFO, "Leases are renewed again.");
        }
    }
}
