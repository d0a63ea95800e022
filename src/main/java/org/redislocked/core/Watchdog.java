package org.redislocked.core;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides who runs the {@linkplain Renewals#pass passes}, so that there is one in every third of a lease: the scheduler
 * of the platform, or a standby thread of ours while that is late, fails, is slow or does not exist.
 *
 * <p>The standby takes turns only while there are holds. It takes over when half a lease has gone by since the last good
 * pass, so that the other half is left for its own tries, and gives back when a pass is quick again and the scheduler's
 * ticks arrive.
 */
final class Watchdog implements AutoCloseable {

    private static final Logger LOG = System.getLogger("org.redislocked");

    /** For how long a pass may keep a thread that all applications of a server may have to share. */
    private static final Duration QUICK = Duration.ofMillis(250);

    /** How many quick turns in a row it takes to give back, so that it does not go to and fro. */
    private static final int QUICK_TURNS = 3;

    private final Renewals renewals;
    private final ScheduledExecutorService standby;
    private final LongSupplier nanoTime;
    private final long periodNanos;
    private final long lateNanos;
    private final Duration tickLimit;
    private final Duration standbyLimit;

    // the standby's
    private final Backoff retry;
    private int quickTurns;

    private volatile @Nullable ScheduledExecutorService scheduler;
    private final AtomicBoolean seriesBegun = new AtomicBoolean();
    private volatile @Nullable ScheduledFuture<?> series;
    private volatile boolean closed;
    private volatile long lastTickNanos;
    private volatile long lastGoodNanos;
    private final AtomicBoolean standbyRenews = new AtomicBoolean(true);

    /** Whether the standby takes turns. */
    private final AtomicBoolean watching = new AtomicBoolean();

    private final ReentrantLock mutex = new ReentrantLock();

    // guarded by mutex
    private @Nullable ScheduledFuture<?> nextTurn;

    private long turnsAppointed;

    Watchdog(Renewals renewals, LockSettings settings, ScheduledExecutorService standby, LongSupplier nanoTime) {
        this.renewals = renewals;
        this.standby = standby;
        this.nanoTime = nanoTime;
        long leaseNanos = Nanos.of(settings.leaseTime());
        // Spread, so that nodes that were started together do not renew together for ever.
        periodNanos = (long) (leaseNanos / 3.0 * ThreadLocalRandom.current().nextDouble(0.9, 1.1));
        lateNanos = leaseNanos / 2;
        tickLimit = Duration.ofNanos(Math.min(QUICK.toNanos(), periodNanos));
        standbyLimit = Duration.ofNanos(Math.min(settings.operationTimeout().toNanos(), periodNanos));
        retry = new Backoff(Duration.ofNanos(leaseNanos / 40), Duration.ofNanos(leaseNanos / 10));
    }

    /** Lets the scheduler of the platform run the passes, from {@link #begin()} on. */
    void use(ScheduledExecutorService found) {
        scheduler = found;
    }

    /** Begins the scheduler's series, if there is a scheduler and the series has not begun. */
    void begin() {
        ScheduledExecutorService found = scheduler;
        if (found != null && !seriesBegun.get() && seriesBegun.compareAndSet(false, true)) {
            beginSeries(found);
        }
    }

    /** {@return whether a scheduler of the platform was found} */
    boolean hasScheduler() {
        return scheduler != null;
    }

    private void beginSeries(ScheduledExecutorService found) {
        lastTickNanos = nanoTime.getAsLong();
        lastGoodNanos = lastTickNanos;
        standbyRenews.set(false);
        try {
            series = found.scheduleAtFixedRate(this::tick, periodNanos, periodNanos, NANOSECONDS);
        } catch (RuntimeException e) {
            takeOver("the scheduler refused it (" + e.getMessage() + ")");
        }
        if (closed) { // which it may have been since, without having seen the series
            close();
        }
    }

    /** {@return whether the scheduler of the platform renews at the moment} */
    boolean schedulerRenews() {
        return !standbyRenews.get();
    }

    /** A hold has been added. */
    void wake() {
        begin();
        if (!watching.get() && watching.compareAndSet(false, true)) {
            boolean appointed = false;
            try {
                scheduleTurn(standbyRenews.get() ? periodNanos : untilLateNanos());
                appointed = true;
            } finally {
                if (!appointed) { // no thread could be had: the next hold tries again
                    watching.set(false);
                }
            }
        }
    }

    /** What the platform's scheduler runs. It never throws: with some schedulers that would end the series. */
    private void tick() {
        try {
            long start = nanoTime.getAsLong();
            lastTickNanos = start;
            if (standbyRenews.get() || closed) {
                return;
            }
            if (!renewals.pass(tickLimit)) {
                passOn("a pass of the scheduler failed");
            } else if (nanoTime.getAsLong() - start > QUICK.toNanos()) {
                passOn("a pass of the scheduler took more than " + QUICK.toMillis() + " ms");
            } else {
                lastGoodNanos = start;
            }
        } catch (Throwable t) {
            passOn("a pass of the scheduler failed (" + t + ")");
        }
    }

    /** What the standby thread runs; it schedules its next turn itself, whatever happens. */
    private void turn(long number) {
        if (!beginTurn(number)) {
            return;
        }
        if (renewals.isIdle()) {
            watching.set(false);
            // A hold that was added before this flag fell has relied on it.
            if (renewals.isIdle() || !watching.compareAndSet(false, true)) {
                return;
            }
        }
        long pauseNanos = periodNanos;
        try {
            pauseNanos = takeTurn();
        } catch (Throwable t) {
            pauseNanos = retry.nextNanos();
            LOG.log(Level.ERROR, "The renewal of leases failed unexpectedly; it is tried again.", t);
        } finally {
            scheduleTurn(pauseNanos);
        }
    }

    /** {@return the time until the next turn} */
    private long takeTurn() {
        if (!standbyRenews.get()) {
            long untilLate = untilLateNanos();
            if (untilLate > 0) {
                return untilLate;
            }
            takeOver("the scheduler has not done it for half a lease");
        }
        long start = nanoTime.getAsLong();
        if (!renewals.pass(standbyLimit)) {
            return retry.nextNanos();
        }
        retry.reset();
        lastGoodNanos = start;
        long now = nanoTime.getAsLong();
        boolean schedulerWouldDo = series != null && now - start <= QUICK.toNanos() && now - lastTickNanos <= lateNanos;
        quickTurns = schedulerWouldDo ? quickTurns + 1 : 0;
        if (quickTurns >= QUICK_TURNS) {
            quickTurns = 0;
            standbyRenews.set(false);
            LOG.log(Level.INFO, "The scheduler renews the leases again.");
            return untilLateNanos();
        }
        return periodNanos;
    }

    private void takeOver(String reason) {
        if (standbyRenews.compareAndSet(false, true)) {
            LOG.log(Level.WARNING, "A thread of our own renews the leases for now: {0}.", reason);
        }
    }

    /** What went wrong with a pass of the scheduler is for the standby to mend at once. */
    private void passOn(String reason) {
        takeOver(reason);
        if (watching.get()) {
            scheduleTurn(0);
        }
    }

    /** {@return whether this is the turn that was appointed last, and not one that was replaced as it began} */
    private boolean beginTurn(long number) {
        mutex.lock();
        try {
            if (number != turnsAppointed) {
                return false;
            }
            nextTurn = null;
            return true;
        } finally {
            mutex.unlock();
        }
    }

    /** Brings the next turn forward, or appoints it; it never puts it off. */
    private void scheduleTurn(long delayNanos) {
        mutex.lock();
        try {
            if (nextTurn != null) {
                if (nextTurn.getDelay(NANOSECONDS) <= delayNanos) {
                    return;
                }
                nextTurn.cancel(false);
            }
            long number = ++turnsAppointed;
            nextTurn = standby.schedule(() -> turn(number), Math.max(0, delayNanos), NANOSECONDS);
        } finally {
            mutex.unlock();
        }
    }

    private long untilLateNanos() {
        return lastGoodNanos + lateNanos - nanoTime.getAsLong();
    }

    @Override
    public void close() {
        closed = true;
        ScheduledFuture<?> running = series;
        if (running != null) {
            running.cancel(false);
        }
        standby.shutdownNow();
    }
}
