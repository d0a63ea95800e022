package org.redislocked.core;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.redislocked.Hold;
import org.redislocked.LockHolder;
import org.redislocked.LockLost;
import org.redislocked.RedisLocks;
import org.redislocked.ReentrantRedisLock;

/**
 * The locks of one client: who of its threads holds what, and the steps from entering a lock to leaving it.
 *
 * <p>A name is in memory only while a thread waits for its lock or holds it.
 */
public final class LockEngine implements RedisLocks, AutoCloseable {

    private static final Logger LOG = System.getLogger("org.redislocked");

    private static final int LONGEST_NAME = 256;

    /** What runs the renewals that the platform's scheduler fails to run, the repeated releases, and the news of losses. */
    record Threads(ScheduledExecutorService standby, ScheduledExecutorService releases, ExecutorService losses) {}

    private final LockStore store;
    private final LockSettings settings;
    private final Supplier<? extends @Nullable ScheduledExecutorService> scheduler;
    private final LongSupplier nanoTime;
    private final Lease renewedLease;
    private final LockQueues queues = new LockQueues();
    private final HoldBook book = new HoldBook();
    private final Contender contender;
    private final Releaser releaser;
    private final LossNews news;
    private final HoldKeeper keeper;
    private final Renewals renewals;
    private final Watchdog watchdog;
    /** Whether the platform's scheduler was found, or sought for the second and last time. */
    private final AtomicBoolean schedulerSought = new AtomicBoolean();

    private final AtomicBoolean closing = new AtomicBoolean();

    /**
     * @param scheduler gives the platform's scheduler for renewals, or null where there is none. It is asked now and,
     *     if that gave none, once more at the first acquisition, by the acquiring thread: on some platforms the look-up
     *     works there only
     * @param lossListener is told of each lost hold, on a thread of the engine
     */
    public LockEngine(
            LockStore store,
            LockSettings settings,
            Supplier<? extends @Nullable ScheduledExecutorService> scheduler,
            Consumer<? super LockLost> lossListener) {
        this(
                store,
                settings,
                scheduler,
                lossListener,
                new Threads(
                        DaemonThreads.scheduler("redis-locked-standby-" + settings.clientName()),
                        DaemonThreads.scheduler("redis-locked-release-" + settings.clientName()),
                        DaemonThreads.executor("redis-locked-losses-" + settings.clientName())),
                System::nanoTime);
    }

    LockEngine(
            LockStore store,
            LockSettings settings,
            Supplier<? extends @Nullable ScheduledExecutorService> scheduler,
            Consumer<? super LockLost> lossListener,
            Threads threads,
            LongSupplier nanoTime) {
        this.store = store;
        this.settings = settings;
        this.scheduler = scheduler;
        this.nanoTime = nanoTime;
        renewedLease = Lease.renewed(settings.leaseTime());
        releaser = new Releaser(store, threads.releases, nanoTime);
        news = new LossNews(threads.losses, lossListener);
        keeper = new HoldKeeper(store, settings, book, queues, releaser, news, nanoTime);
        contender = new Contender(store, settings, new GrantIds(settings.clientName()), releaser, keeper, nanoTime);
        renewals = new Renewals(store, settings, book, keeper, nanoTime);
        watchdog = new Watchdog(renewals, settings, threads.standby, nanoTime);
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

    /**
     * {@return the name, if it may be that of a lock}
     *
     * <p>The length is bounded, since renewals of many locks go out together and have to fit the buffers of a socket.
     */
    public static String checkName(String name) {
        if (name.isEmpty()) {
            throw new IllegalArgumentException("The name of a lock must not be empty");
        }
        if (name.startsWith("~")) {
            throw new IllegalArgumentException(
                    "The name of a lock must not begin with '~', which is reserved: '" + name + "'");
        }
        if (name.length() > LONGEST_NAME) {
            throw new IllegalArgumentException("The name of a lock must not be longer than " + LONGEST_NAME
                    + " characters: '" + name.substring(0, 40) + "…' has " + name.length());
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
        seekSchedulerOnceMore();
        LockQueue queue = queues.enter(lockName);
        ActiveHold hold = null;
        try {
            hold = queue.acquire(patience, lease, contender);
        } finally {
            if (hold == null) {
                queues.leave(queue);
            }
        }
        if (hold == null) {
            return false;
        }
        try {
            book.add(hold);
            watchdog.wake();
            queue.refuseIfClosed();
        } catch (Throwable t) { // the caller will not unlock what it did not get
            leaveAfter(t, lockName);
            throw t;
        }
        return true;
    }

    /** Leaves a hold that the caller never had: that it was lost meanwhile, as by the end of the client, is no news. */
    private void leaveAfter(Throwable failure, String lockName) {
        try {
            exit(lockName);
        } catch (RuntimeException e) {
            failure.addSuppressed(e);
        }
    }

    private void reenter(ActiveHold hold, Lease lease) {
        keeper.requireValid(hold);
        boolean wasRenewed = hold.isRenewed();
        hold.enter(lease);
        try {
            long wantedDeadline = lease.deadlineNanos(nanoTime.getAsLong());
            StoreException failure = keeper.record(hold, lease.time());
            keeper.requireValid(hold);
            // That the count was not written does not matter: it is for show. That the lease was not extended
            // does, unless an outer entry has it renewed all along.
            if (failure != null
                    && !wasRenewed
                    && !Nanos.reached(wantedDeadline, hold.grant().deadlineNanos())) {
                throw LockErrors.unavailable(hold.lockName(), "its lease was not extended", failure);
            }
        } catch (Throwable t) {
            hold.exit();
            throw t;
        }
    }

    /** Leaves the lock, and releases it if this was the last entry. */
    void exit(String lockName) {
        ActiveHold hold = book.find(lockName);
        if (hold == null) {
            throw LockErrors.notHeld(lockName);
        }
        hold.exit();
        keeper.loseIfDue(hold);
        if (hold.count() > 0) {
            if (hold.grant().isActive()) {
                keeper.record(hold, hold.isRenewed() ? settings.leaseTime() : Duration.ZERO);
            }
            keeper.requireValid(hold);
        } else {
            book.remove(hold);
            release(hold);
        }
    }

    private void release(ActiveHold hold) {
        if (!hold.grant().beginRelease()) {
            throw LockErrors.lost(hold);
        }
        // A renewal that was collected before may still be sent: it finds the grant gone, and its answer is ignored.
        boolean kept;
        try {
            kept = releaser.release(hold.grant());
        } finally {
            hold.grant().endRelease();
            hold.queue().vacate(hold);
            queues.leave(hold.queue());
        }
        if (!kept) {
            keeper.lostAtRelease(hold);
            throw LockErrors.lost(hold);
        }
    }

    /** {@return the hold of the current thread, valid or lost} */
    @Nullable
    ActiveHold find(String lockName) {
        ActiveHold hold = book.find(lockName);
        if (hold != null) {
            keeper.loseIfDue(hold);
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

    /**
     * Begins renewal on the platform's scheduler now, on the thread and in the context of the caller; without this call
     * it begins with the first hold.
     *
     * <p>Not before an application is known to run: one that fails to deploy must leave no task with the platform.
     */
    public void beginRenewal() {
        watchdog.begin();
    }

    private void seekSchedulerOnceMore() {
        if (!schedulerSought.get() && schedulerSought.compareAndSet(false, true)) {
            seekScheduler();
        }
    }

    private void seekScheduler() {
        ScheduledExecutorService found = null;
        try {
            found = scheduler.get();
        } catch (RuntimeException | LinkageError e) {
            LOG.log(
                    Level.WARNING,
                    "The scheduler of the platform could not be had, a thread of our own renews: {0}",
                    e.toString());
        }
        if (found != null) {
            schedulerSought.set(true);
            watchdog.use(found);
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
        queues.close();
        try {
            queues.awaitEmpty(settings.shutdownTimeout());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        watchdog.close();
        releaser.close(); // before the holds are lost, so that they are not released
        renewals.loseAll("the client was closed while it was held");
        news.close();
    }
}
