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
 * The locks of one client: what it consists of, from its beginning to its end.
 *
 * <p>A name is in memory only while a thread waits for its lock or holds it.
 */
public final class LockEngine implements RedisLocks, AutoCloseable {

    private static final Logger LOG = System.getLogger("org.redislocked");

    private static final int LONGEST_NAME = 256;

    /** What runs the renewals that the platform's scheduler fails to run, the repeated releases, and the news of losses. */
    record Threads(ScheduledExecutorService standby, ScheduledExecutorService releases, ExecutorService losses) {}

    private final LockStore store;
    private final Duration shutdownTimeout;
    private final Supplier<? extends @Nullable ScheduledExecutorService> scheduler;
    private final LongSupplier nanoTime;
    private final Lease renewedLease;
    private final LockQueues queues = new LockQueues();
    private final HoldBook book = new HoldBook();
    private final Releaser releaser;
    private final LossNews news;
    private final Renewals renewals;
    private final Watchdog watchdog;
    private final LockEntry entry;
    private final LockExit exit;
    private final HoldKeeper keeper;
    private final Container container;
    /** Whether the platform's scheduler was found, or sought for the second and last time. */
    private final AtomicBoolean schedulerSought = new AtomicBoolean();

    private final AtomicBoolean closing = new AtomicBoolean();

    /**
     * @param scheduler gives the platform's scheduler for renewals, or null where there is none. It is asked now and,
     *     if that gave none, once more at the first acquisition, by the acquiring thread: on some platforms the look-up
     *     works there only
     * @param lossListener is told of each lost hold, on a thread of the engine
     * @param container what else the platform has
     */
    public LockEngine(
            LockStore store,
            LockSettings settings,
            Supplier<? extends @Nullable ScheduledExecutorService> scheduler,
            Consumer<? super LockLost> lossListener,
            Container container) {
        this(
                store,
                settings,
                scheduler,
                lossListener,
                container,
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
            Container container,
            Threads threads,
            LongSupplier nanoTime) {
        this.store = store;
        this.shutdownTimeout = settings.shutdownTimeout();
        this.scheduler = scheduler;
        this.nanoTime = nanoTime;
        renewedLease = Lease.renewed(settings.leaseTime());
        releaser = new Releaser(store, threads.releases, nanoTime);
        news = new LossNews(threads.losses, lossListener);
        this.container = container;
        keeper = new HoldKeeper(store, settings, book, queues, releaser, news, nanoTime);
        renewals = new Renewals(store, settings, book, keeper, nanoTime);
        watchdog = new Watchdog(renewals, settings, threads.standby, nanoTime);
        var contender = new Contender(store, settings, new GrantIds(settings.clientName()), releaser, keeper, nanoTime);
        exit = new LockExit(settings, queues, book, releaser, keeper, container.transactions());
        var leaks = new LeakWatch(container.leakGuard(), settings, book, keeper, exit);
        entry = new LockEntry(queues, book, contender, keeper, watchdog, exit, leaks, nanoTime);
        seekScheduler();
    }

    @Override
    public ReentrantRedisLock get(String name) {
        return new LockHandle(this, checkName(name), false, true);
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

    /** {@return whether there is no hold to be renewed, nor one that its owner has not left} */
    boolean isIdle() {
        return renewals.isIdle();
    }

    /** {@return the same lock, without a guard, for a caller that is certain to unlock} */
    public static ReentrantRedisLock unguarded(ReentrantRedisLock lock) {
        return lock instanceof LockHandle handle ? handle.unguarded() : lock;
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

    /** {@return false if the caller's time is up} */
    boolean enter(LockHandle lock, Patience patience, Lease lease) throws InterruptedException {
        seekSchedulerOnceMore();
        return entry.enter(lock.name(), patience, lease, lock.joiningTransactions(), lock.guarded());
    }

    LockExit exit() {
        return exit;
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

    Container container() {
        return container;
    }

    Lease renewedLease() {
        return renewedLease;
    }

    LongSupplier nanoTime() {
        return nanoTime;
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
        LockErrors.load();
        queues.close();
        try {
            queues.awaitEmpty(shutdownTimeout);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        watchdog.close();
        releaser.close(); // before the holds are lost, so that they are not released
        renewals.loseAll("the client was closed while it was held");
        news.close();
    }
}
