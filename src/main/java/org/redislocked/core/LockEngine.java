package org.redislocked.core;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.redislocked.Hold;
import org.redislocked.LockHolder;
import org.redislocked.RedisLocks;
import org.redislocked.ReentrantRedisLock;

/**
 * The locks of one client: who of its threads holds what, and the steps from entering a lock to leaving it.
 *
 * <p>A name is in memory only while a thread waits for its lock or holds it.
 */
public final class LockEngine implements RedisLocks, AutoCloseable {

    private static final Logger LOG = System.getLogger("org.redislocked");

    static final String NOT_OWNED = "Redis no longer knew it";

    private final LockStore store;
    private final LockSettings settings;
    private final Supplier<? extends @Nullable ScheduledExecutorService> scheduler;
    private final LongSupplier nanoTime;
    private final Lease renewedLease;
    private final Map<String, LockQueue> queues = new ConcurrentHashMap<>();
    private final HoldBook book = new HoldBook();
    private final Losses losses = new EngineLosses();
    private final Contender contender;
    private final Releaser releaser;
    private final Renewals renewals;
    private final Watchdog watchdog;
    /** Whether the platform's scheduler was found, or sought for the second and last time. */
    private final AtomicBoolean schedulerSought = new AtomicBoolean();

    private final AtomicBoolean closing = new AtomicBoolean();

    /**
     * @param scheduler gives the platform's scheduler for renewals, or null where there is none. It is asked now and,
     *     if that gave none, once more at the first acquisition, by the acquiring thread: on some platforms the look-up
     *     works there only
     */
    public LockEngine(
            LockStore store, LockSettings settings, Supplier<? extends @Nullable ScheduledExecutorService> scheduler) {
        this(
                store,
                settings,
                scheduler,
                DaemonThreads.scheduler("redis-locked-standby-" + settings.clientName()),
                DaemonThreads.scheduler("redis-locked-release-" + settings.clientName()),
                System::nanoTime);
    }

    LockEngine(
            LockStore store,
            LockSettings settings,
            Supplier<? extends @Nullable ScheduledExecutorService> scheduler,
            ScheduledExecutorService standby,
            ScheduledExecutorService background,
            LongSupplier nanoTime) {
        this.store = store;
        this.settings = settings;
        this.scheduler = scheduler;
        this.nanoTime = nanoTime;
        renewedLease = Lease.renewed(settings.leaseTime());
        releaser = new Releaser(store, background, nanoTime);
        contender = new Contender(store, settings, new GrantIds(settings.clientName()), releaser, nanoTime);
        renewals = new Renewals(store, settings, losses, nanoTime);
        watchdog = new Watchdog(renewals, settings, standby, nanoTime);
        seekScheduler();
    }

    @Override
    public ReentrantRedisLock get(String name) {
        return new LockHandle(this, checkName(name));
    }

    @Override
    public Optional<Hold> current() {
        return book.current();
    }

    /** {@return the name, if it may be that of a lock} */
    public static String checkName(String name) {
        if (name.isEmpty()) {
            throw new IllegalArgumentException("The name of a lock must not be empty");
        }
        if (name.startsWith("~")) {
            throw new IllegalArgumentException(
                    "The name of a lock must not begin with '~', which is reserved: '" + name + "'");
        }
        return name;
    }

    /** {@return whether the platform's scheduler was found} Else a thread of our own renews. */
    public boolean hasScheduler() {
        return watchdog.hasScheduler();
    }

    /** {@return whether the platform's scheduler renews at the moment} */
    boolean schedulerRenews() {
        return watchdog.schedulerRenews();
    }

    /** {@return how many locks are held or waited for here} */
    int namesInMemory() {
        return queues.size();
    }

    /** {@return how many threads have holds} */
    int threadsInMemory() {
        return book.threads();
    }

    Lease renewedLease() {
        return renewedLease;
    }

    LongSupplier nanoTime() {
        return nanoTime;
    }

    /**
     * Enters the lock, for the first time or again.
     *
     * @return false if the caller's time is up
     */
    boolean enter(String lockName, Patience patience, Lease lease) throws InterruptedException {
        ActiveHold held = book.find(lockName);
        if (held != null) {
            reenter(held, lease);
            return true;
        }
        LockQueue queue = queues.compute(lockName, (name, existing) -> {
            LockQueue used = existing == null ? new LockQueue(name) : existing;
            used.users++;
            return used;
        });
        ActiveHold hold = null;
        try {
            if (closing.get()) {
                throw LockErrors.closed(lockName);
            }
            hold = queue.acquire(patience, lease, contender, losses::loseIfDue);
        } finally {
            if (hold == null) {
                leave(queue);
            }
        }
        if (hold == null) {
            return false;
        }
        book.add(hold);
        renewals.add(hold);
        if (closing.get()) { // read after the hold was added, as close() sets it before it looks for holds
            exit(lockName);
            throw LockErrors.closed(lockName);
        }
        watchdog.wake();
        if (!schedulerSought.get() && schedulerSought.compareAndSet(false, true)) {
            seekScheduler();
        }
        return true;
    }

    private void reenter(ActiveHold hold, Lease lease) {
        requireValid(hold);
        hold.enter(lease);
        try {
            long wantedDeadline = lease.deadlineNanos(nanoTime.getAsLong());
            StoreException failure = record(hold, lease.time());
            requireValid(hold);
            // The count is for show, so that it was not written does not matter. An explicit lease does matter.
            if (failure != null
                    && !hold.isRenewed()
                    && !Nanos.reached(wantedDeadline, hold.grant().deadlineNanos())) {
                throw LockErrors.unavailable(hold.lockName(), "its lease was not extended", failure);
            }
        } catch (RuntimeException e) {
            hold.exit();
            throw e;
        }
    }

    /** Leaves the lock, and releases it if this was the last entry. */
    void exit(String lockName) {
        ActiveHold hold = book.find(lockName);
        if (hold == null) {
            throw LockErrors.notHeld(lockName);
        }
        hold.exit();
        losses.loseIfDue(hold);
        if (hold.count() > 0) {
            if (hold.grant().isActive()) {
                record(hold, hold.isRenewed() ? settings.leaseTime() : Duration.ZERO);
            }
            requireValid(hold);
        } else {
            book.remove(hold);
            release(hold);
        }
    }

    private void release(ActiveHold hold) {
        if (!hold.grant().beginRelease()) {
            throw LockErrors.lost(hold);
        }
        // From here on nothing extends the lease. A renewal that is under way finds the grant gone.
        renewals.remove(hold);
        boolean kept;
        try {
            kept = releaser.release(hold.grant());
        } finally {
            hold.grant().endRelease();
            hold.queue().vacate(hold);
            leave(hold.queue());
        }
        if (!kept) {
            hold.lossReason("it was somebody else's or free in Redis when it was to be released");
            throw LockErrors.lost(hold);
        }
    }

    /** {@return the hold of the current thread, valid or lost} */
    @Nullable
    ActiveHold find(String lockName) {
        ActiveHold hold = book.find(lockName);
        if (hold != null) {
            losses.loseIfDue(hold);
        }
        return hold;
    }

    Optional<LockHolder> holder(String lockName) {
        try {
            return store.holder(lockName);
        } catch (StoreException e) {
            throw LockErrors.unavailable(lockName, "who holds it is not known", e);
        }
    }

    /** Writes the hold count to the store and extends the lease, if that is not zero. */
    private @Nullable StoreException record(ActiveHold hold, Duration leaseTime) {
        Grant grant = hold.grant();
        long sent = nanoTime.getAsLong();
        grant.sending(sent + Nanos.of(leaseTime) + settings.operationTimeout().toNanos());
        try {
            if (!store.count(grant.key().lockName(), grant.key().grantId(), hold.count(), leaseTime)) {
                losses.lose(hold, NOT_OWNED);
            } else if (!leaseTime.isZero()) {
                grant.extend(Lease.explicit(leaseTime).deadlineNanos(sent));
            }
            return null;
        } catch (StoreException e) {
            return e;
        }
    }

    private void requireValid(ActiveHold hold) {
        losses.loseIfDue(hold);
        if (!hold.grant().isActive()) {
            throw LockErrors.lost(hold);
        }
    }

    private void leave(LockQueue queue) {
        queues.computeIfPresent(queue.lockName(), (name, used) -> --used.users == 0 ? null : used);
    }

    private void seekScheduler() {
        ScheduledExecutorService found = scheduler.get();
        if (found != null) {
            schedulerSought.set(true);
            watchdog.runOn(found);
        }
    }

    /**
     * Ends the client: no new holds, waiters are sent away, owners get the {@code shutdown-timeout} to finish, renewed
     * meanwhile.
     *
     * <p>A hold that lasts longer counts as lost, but is not released: its owner still works under it, so it is for the
     * lease to keep others out until then.
     */
    @Override
    public void close() {
        if (!closing.compareAndSet(false, true)) {
            return;
        }
        queues.values().forEach(LockQueue::close);
        try {
            renewals.awaitIdle(settings.shutdownTimeout());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        watchdog.close();
        releaser.close(); // before the holds are lost, so that they are not released
        renewals.loseAll("the client was closed while it was held");
    }

    private final class EngineLosses implements Losses {

        @Override
        public void loseIfDue(ActiveHold hold) {
            if (hold.grant().isActive() && hold.grant().isDue()) {
                lose(hold, hold.isRenewed() ? "its lease ended before it could be renewed" : "its lease has ended");
            }
        }

        @Override
        public void lose(ActiveHold hold, String reason) {
            if (hold.grant().isActive()) {
                hold.lossReason(reason);
            }
            if (!hold.grant().lose()) {
                return;
            }
            renewals.remove(hold);
            if (!hold.owner().isAlive()) {
                book.forget(hold.owner());
            }
            hold.queue().vacate(hold);
            leave(hold.queue());
            releaser.releaseInBackground(hold.grant().key(), hold.grant().aliveUntilNanos());
            LOG.log(
                    Level.WARNING,
                    "{0}, of thread {1}, was lost: {2}. Its owner is told when it leaves the lock.",
                    hold,
                    hold.owner().getName(),
                    reason);
        }
    }
}
