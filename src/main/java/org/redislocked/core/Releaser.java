package org.redislocked.core;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
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
    /** What is being repeated, or is about to be tried for the first time. */
    private final Set<GrantKey> pending = ConcurrentHashMap.newKeySet();

    private volatile boolean closed;
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
            boolean found = store.release(grant.key().lockName(), grant.key().grantId());
            noteSuccess();
            return found || grant.isDue();
        } catch (RuntimeException | Error e) { // of whatever kind: the owner has done its work
            noteFailure(grant.key(), e);
            releaseInBackground(grant);
            return true;
        }
    }

    /** {@return whether the last try of any release failed} */
    boolean isFailing() {
        return failing.get();
    }

    /** Releases a grant that nobody waits for. */
    void releaseInBackground(Grant grant) {
        // A renewal that was collected before the release may still be sent: the bound is read at each repeat.
        start(grant.key(), grant::aliveUntilNanos);
    }

    /**
     * Releases an attempt that nobody goes on with: now, and once more when it can no longer be executed late.
     *
     * @param aliveUntilNanos until when it can keep the key alive
     */
    void releaseAbandoned(GrantKey key, long lateUntilNanos, long aliveUntilNanos) {
        start(key, () -> aliveUntilNanos);
        after(lateUntilNanos - nanoTime.getAsLong(), () -> start(key, () -> aliveUntilNanos));
    }

    /** Releases the grant once more at that time, if it is over by then. */
    void releaseAgainAt(Grant grant, long lateUntilNanos) {
        after(lateUntilNanos - nanoTime.getAsLong(), () -> {
            // In this order: the state only moves forward, so that what is neither is over.
            if (grant.isActive()) {
                return;
            }
            if (grant.isReleasing()) {
                // Not between the owner's release and its answer: that would look as if the grant had been lost.
                releaseAgainAt(grant, nanoTime.getAsLong() + FIRST_PAUSE.toNanos());
            } else {
                releaseInBackground(grant);
            }
        });
    }

    private void start(GrantKey key, LongSupplier aliveUntilNanos) {
        if (!closed) {
            pending.add(key);
            Backoff backoff = new Backoff(FIRST_PAUSE, LONGEST_PAUSE);
            after(0, () -> releaseOrRepeat(key, aliveUntilNanos, backoff));
        }
    }

    private void releaseOrRepeat(GrantKey key, LongSupplier aliveUntilNanos, Backoff backoff) {
        try {
            store.release(key.lockName(), key.grantId());
            pending.remove(key);
            noteSuccess();
        } catch (RuntimeException | Error e) { // of whatever kind: nobody else would hear of it
            noteFailure(key, e);
            if (Nanos.reached(aliveUntilNanos.getAsLong(), nanoTime.getAsLong())) {
                pending.remove(key);
            } else {
                after(backoff.nextNanos(), () -> releaseOrRepeat(key, aliveUntilNanos, backoff));
            }
        }
    }

    private void after(long nanos, Runnable task) {
        try {
            var unused = background.schedule(task, Math.max(0, nanos), TimeUnit.NANOSECONDS);
        } catch (OutOfMemoryError e) { // no thread could be had; the task is kept for when there is one
            LOG.log(Level.ERROR, "No thread could be had to release locks in the background", e);
        }
    }

    private void noteFailure(GrantKey key, Throwable e) {
        if (failing.compareAndSet(false, true)) {
            LOG.log(
                    Level.WARNING,
                    "Lock ''{0}'' could not be released yet: {1} This and other releases are repeated in the"
                            + " background; a lock that cannot be released is free when its lease ends.",
                    key.lockName(),
                    String.valueOf(e.getMessage()));
        }
    }

    private void noteSuccess() {
        if (failing.get() && failing.compareAndSet(true, false)) {
            LOG.log(Level.INFO, "Locks are released again.");
        }
    }

    /** Ends the repeats, after one more try of each for as long as the store answers. */
    @Override
    public void close() {
        closed = true;
        background.shutdownNow();
        int left = 0;
        RuntimeException trouble = null;
        for (GrantKey key : pending) {
            if (trouble != null && !isRefusal(trouble)) {
                left++; // it does not answer
                continue;
            }
            try {
                store.release(key.lockName(), key.grantId());
            } catch (RuntimeException e) { // of whatever kind: the client is to be closed to its end
                trouble = e;
                left++;
            }
        }
        if (trouble != null) {
            LOG.log(
                    Level.WARNING,
                    "{0} locks could not be released before the client was closed; they are free when their leases"
                            + " end: {1}",
                    left,
                    String.valueOf(trouble.getMessage()));
        }
    }

    /** {@return whether it concerns one grant only, so that the others may be released} */
    private static boolean isRefusal(RuntimeException e) {
        return e instanceof StoreException answer && answer.kind() == StoreException.Kind.REFUSED;
    }
}
