package org.redislocked.redis;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.redislocked.core.LockStore.Subscription;

/**
 * Hears the signals of all locks of one client, on one connection and one thread, from the first subscription on, and
 * connects again after a loss.
 */
final class SignalListener implements AutoCloseable {

    /** How long the connection may be quiet before it is tried, and then again before it is given up. */
    static final Duration QUIET = Duration.ofSeconds(10);

    private static final long FIRST_PAUSE_MILLIS = 100;
    private static final long LONGEST_PAUSE_MILLIS = 5_000;

    private static final System.Logger LOG = System.getLogger(SignalListener.class.getPackageName());

    private final Supplier<OwnConnection> connector;
    private final Duration connectLimit;
    private final Duration quiet;
    private final String threadName;
    private final Subscriptions subscriptions;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition closing = lock.newCondition();

    /** Guarded by {@link #lock}. */
    private @Nullable Thread thread;

    /** Guarded by {@link #lock}. */
    private boolean closed;

    /**
     * @param connector opens a connection in bounded time
     * @param connectLimit that bound
     * @param quiet how long the connection may be quiet before it is tried
     * @param idleChannel a channel that stays subscribed when no other is, and never has messages
     */
    SignalListener(
            Supplier<OwnConnection> connector,
            Duration connectLimit,
            Duration quiet,
            String idleChannel,
            String threadName) {
        this.connector = connector;
        this.connectLimit = connectLimit;
        this.quiet = quiet;
        this.threadName = threadName;
        this.subscriptions = new Subscriptions(idleChannel);
    }

    /** Subscribes without waiting for Redis. */
    Subscription subscribe(String channel, Runnable wakeUp) {
        Subscription subscription = subscriptions.add(channel, wakeUp);
        lock.lock();
        try {
            if (thread == null && !closed) {
                thread = startThread();
            }
        } finally {
            lock.unlock();
        }
        return subscription;
    }

    /** Inherits nothing of the application thread that happens to subscribe first. */
    private @Nullable Thread startThread() {
        Thread created = new Thread(null, this::listen, threadName, 0, false);
        created.setDaemon(true);
        created.setContextClassLoader(SignalListener.class.getClassLoader());
        try {
            created.start();
            return created;
        } catch (OutOfMemoryError e) {
            // no more threads: the waiter polls, and the next subscription tries again
            LOG.log(Level.ERROR, "The thread that hears signals cannot be started", e);
            return null;
        }
    }

    /** Waits for the thread to end: at once, unless it is connecting. */
    @Override
    public void close() {
        Thread ending;
        lock.lock();
        try {
            closed = true;
            closing.signalAll();
            ending = thread;
        } finally {
            lock.unlock();
        }
        subscriptions.close();
        if (ending == null || ending == Thread.currentThread()) {
            return;
        }
        boolean interrupted = Thread.interrupted();
        try {
            ending.join(connectLimit.toMillis() + 1_000);
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void listen() {
        int failures = 0;
        while (pause(failures)) {
            try {
                OwnConnection redis = connector.get();
                try {
                    redis.setSoTimeout((int) quiet.toMillis());
                    subscriptions.attach(redis);
                    subscriptions.handle(redis);
                    if (failures > 0) {
                        LOG.log(Level.INFO, "Redis signals released locks again");
                        failures = 0;
                    }
                    while (true) {
                        subscriptions.handle(redis);
                    }
                } finally {
                    redis.end();
                    subscriptions.detach();
                }
            } catch (Throwable e) {
                // whatever it is, it must not end the thread: the next attempt starts afresh
                failures++;
                if (failures == 1 && !isClosed()) {
                    LOG.log(
                            Level.WARNING,
                            "Redis does not signal released locks at present, so waiters poll: {0}",
                            e.getMessage());
                }
            }
        }
    }

    /** Sleeps the longer the more attempts have failed; false when closed. */
    private boolean pause(int failures) {
        long longest = Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(failures, 10));
        long millis = failures == 0 ? 0 : ThreadLocalRandom.current().nextLong(longest / 2, longest + 1);
        long nanos = TimeUnit.MILLISECONDS.toNanos(millis);
        lock.lock();
        try {
            while (nanos > 0 && !closed) {
                nanos = closing.awaitNanos(nanos);
            }
            return !closed;
        } catch (InterruptedException e) {
            // nobody has a reason to interrupt this thread; it tries again at once
            return !closed;
        } finally {
            lock.unlock();
        }
    }

    private boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }
}
