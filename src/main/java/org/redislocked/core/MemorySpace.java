package org.redislocked.core;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.redislocked.LockHolder;
import org.redislocked.core.LockStore.Acquisition;
import org.redislocked.core.LockStore.Contended;
import org.redislocked.core.LockStore.Expired;
import org.redislocked.core.LockStore.Granted;
import org.redislocked.core.LockStore.Subscription;

/** What {@link MemoryLockStore} shares between clients; each method does what the script of its name does in Redis. */
final class MemorySpace {

    /** A hold count that changes nothing. */
    static final int SAME_COUNT = 0;

    private static final System.Logger LOG = System.getLogger(MemorySpace.class.getPackageName());

    /** How many grants there may be before the expired ones are looked for. */
    private static final int FIRST_SWEEP = 64;

    private final LongSupplier nanoTicker;
    private final long startNanos;
    private final long startMicros;

    // all guarded by this
    private final Map<String, Grant> grants = new HashMap<>();
    private final Map<String, List<Interest>> interests = new HashMap<>();
    private int sweepAt = FIRST_SWEEP;

    /** Of all locks together: one number remembers for ever what Redis remembers for each lock for an hour. */
    private long lastToken;

    MemorySpace(LongSupplier nanoTicker) {
        this.nanoTicker = nanoTicker;
        this.startNanos = nanoTicker.getAsLong();
        this.startMicros = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }

    synchronized Acquisition acquire(
            String lockName, String grantId, long leaseNanos, long usedToken, long notAfterMicros) {
        Grant current = live(lockName);
        if (current != null && !current.id.equals(grantId)) {
            return new Contended(TimeUnit.NANOSECONDS.toMillis(current.restNanos(nanoTicker)));
        }
        long now = timeMicros();
        if (notAfterMicros > 0 && now > notAfterMicros) {
            return new Expired(now);
        }
        lastToken = Math.max(now, Math.max(lastToken, usedToken) + 1);
        if (current == null) {
            sweep();
            current = new Grant(grantId, nanoTicker.getAsLong());
            grants.put(lockName, current);
        }
        current.extend(leaseNanos, nanoTicker);
        return new Granted(lastToken, now);
    }

    synchronized boolean count(String lockName, String grantId, int holdCount, long leaseNanos) {
        Grant current = live(lockName);
        if (current == null || !current.id.equals(grantId)) {
            return false;
        }
        current.extend(leaseNanos, nanoTicker);
        if (holdCount != SAME_COUNT) {
            current.holdCount = holdCount;
        }
        return true;
    }

    synchronized boolean release(String lockName, String grantId) {
        Grant current = live(lockName);
        return current != null && current.id.equals(grantId) && grants.remove(lockName, current);
    }

    synchronized Optional<LockHolder> holder(String lockName) {
        return Optional.ofNullable(live(lockName))
                .map(grant -> new LockHolder(
                        grant.id,
                        grant.holdCount,
                        Duration.ofNanos(grant.restNanos(nanoTicker)),
                        Duration.ofNanos(nanoTicker.getAsLong() - grant.grantedNanos)));
    }

    long timeMicros() {
        return startMicros + TimeUnit.NANOSECONDS.toMicros(nanoTicker.getAsLong() - startNanos);
    }

    Subscription subscribe(Object client, String lockName, Runnable wakeUp) {
        Interest interest = new Interest(client, lockName, wakeUp);
        synchronized (this) {
            interests.computeIfAbsent(lockName, name -> new ArrayList<>(1)).add(interest);
        }
        interest.wake();
        return interest;
    }

    synchronized void unsubscribeAll(Object client) {
        interests.values().stream()
                .flatMap(List::stream)
                .filter(interest -> interest.client == client)
                .toList()
                .forEach(Interest::close);
    }

    /** Not while holding the monitor: waking runs the code of others. */
    void signal(String lockName) {
        List<Interest> interested;
        synchronized (this) {
            interested = List.copyOf(interests.getOrDefault(lockName, List.of()));
        }
        interested.forEach(Interest::wake);
    }

    /** {@return how many grants are remembered} */
    synchronized int size() {
        return grants.size();
    }

    private @Nullable Grant live(String lockName) {
        Grant grant = grants.get(lockName);
        if (grant != null && grant.restNanos(nanoTicker) <= 0) {
            grants.remove(lockName);
            return null;
        }
        return grant;
    }

    /** Looks for expired grants that nobody asks for any more, rarely enough to cost nothing on average. */
    private void sweep() {
        if (grants.size() >= sweepAt) {
            grants.values().removeIf(grant -> grant.restNanos(nanoTicker) <= 0);
            sweepAt = Math.max(FIRST_SWEEP, 2 * grants.size());
        }
    }

    private static final class Grant {

        private final String id;
        private final long grantedNanos;
        private long endNanos;
        private int holdCount = 1;

        Grant(String id, long nowNanos) {
            this.id = id;
            this.grantedNanos = nowNanos;
            this.endNanos = nowNanos;
        }

        long restNanos(LongSupplier nanoTicker) {
            return endNanos - nanoTicker.getAsLong();
        }

        /** Never shortens. */
        void extend(long leaseNanos, LongSupplier nanoTicker) {
            long extended = nanoTicker.getAsLong() + leaseNanos;
            if (extended - endNanos > 0) {
                endNanos = extended;
            }
        }
    }

    private final class Interest implements Subscription {

        private final Object client;
        private final String lockName;
        private final Runnable wakeUp;
        private volatile boolean active = true;

        Interest(Object client, String lockName, Runnable wakeUp) {
            this.client = client;
            this.lockName = lockName;
            this.wakeUp = wakeUp;
        }

        @Override
        public boolean isActive() {
            return active;
        }

        @Override
        public void close() {
            synchronized (MemorySpace.this) {
                active = false;
                interests.computeIfPresent(lockName, (name, all) -> {
                    all.remove(this);
                    return all.isEmpty() ? null : all;
                });
            }
        }

        void wake() {
            try {
                wakeUp.run();
            } catch (RuntimeException e) {
                // the release that signals must not fail for it
                LOG.log(Level.ERROR, "A waiter could not be woken", e);
            }
        }
    }
}
