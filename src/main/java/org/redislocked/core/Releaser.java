package org.redislocked.core;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.redislocked.core.LockStore.GrantKey;

/**
 * Gives grants back to the store: at once where it answers, else in the background for as long as a command of this
 * client could keep the key alive. The owner's work was done under a valid lease and does not fail for it.
 */
final class Releaser implements AutoCloseable {

    private static final Logger LOG = System.getLogger("org.redislocked");
    private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

    private final LockStore store;
    private final ScheduledExecutorService background;
    private final LongSupplier nanoTime;
    private final AtomicBoolean failing = new AtomicBoolean();

    Releaser(LockStore store, ScheduledExecutorService background, LongSupplier nanoTime) {
        this.store = store;
        this.background = background;
        this.nanoTime = nanoTime;
    }

    /**
     * Releases a grant whose owner has left.
     *
     * @return false if the store no longer knew it, before its deadline and in answer to the only attempt: then it was
     *     lost, since nobody but this attempt could have removed it
     */
    boolean release(Grant grant) {
        try {
            return store.release(grant.key().lockName(), grant.key().grantId()) || grant.isDue();
        } catch (StoreException e) {
            noteFailure(grant.key(), e);
            releaseInBackground(grant.key(), grant.aliveUntilNanos());
            return true;
        }
    }

    /** Releases what is not to be waited for. */
    void releaseInBackground(GrantKey key, long untilNanos) {
        Backoff backoff = new Backoff(FIRST_PAUSE, LONGEST_PAUSE);
        background.execute(() -> releaseOrRepeat(key, untilNanos, backoff));
    }

    /** Releases an attempt that nobody goes on with: now, and once more when it can no longer be executed late. */
    void releaseAbandoned(GrantKey key, long lateUntilNanos) {
        releaseInBackground(key, lateUntilNanos);
        afterNanos(lateUntilNanos - nanoTime.getAsLong(), () -> releaseInBackground(key, lateUntilNanos));
    }

    /** Releases the grant once more at that time, if it is over by then. */
    void releaseAgainAt(Grant grant, long lateUntilNanos) {
        afterNanos(lateUntilNanos - nanoTime.getAsLong(), () -> {
            if (grant.isReleasing()) {
                // Not between the owner's release and its answer: that would look as if the grant had been lost.
                releaseAgainAt(grant, nanoTime.getAsLong() + FIRST_PAUSE.toNanos());
            } else if (!grant.isActive()) {
                releaseInBackground(grant.key(), lateUntilNanos);
            }
        });
    }

    private void releaseOrRepeat(GrantKey key, long untilNanos, Backoff backoff) {
        try {
            store.release(key.lockName(), key.grantId());
            noteSuccess();
        } catch (RuntimeException e) { // of whatever kind: nobody else would hear of it
            noteFailure(key, e);
            if (!Nanos.reached(untilNanos, nanoTime.getAsLong())) {
                afterNanos(backoff.nextNanos(), () -> releaseOrRepeat(key, untilNanos, backoff));
            }
        }
    }

    private void afterNanos(long nanos, Runnable task) {
        var unused = background.schedule(task, Math.max(0, nanos), TimeUnit.NANOSECONDS);
    }

    private void noteFailure(GrantKey key, RuntimeException e) {
        if (failing.compareAndSet(false, true)) {
            LOG.log(
                    Level.WARNING,
                    "Lock ''{0}'' could not be released yet: {1} This and other releases are repeated in the"
                            + " background; a lock that cannot be released is free when its lease ends.",
                    key.lockName(),
                    e.getMessage());
        }
    }

    private void noteSuccess() {
        if (failing.compareAndSet(true, false)) {
            LOG.log(Level.INFO, "Locks are released again.");
        }
    }

    @Override
    public void close() {
        background.shutdownNow();
    }
}
