package org.redislocked.core;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.redislocked.LockHolder;

/**
 * Keeps grants in the memory of this JVM, for tests and development: no connection, no thread, and nothing outlives the
 * JVM.
 */
public final class MemoryLockStore implements LockStore {

    /** One for each key prefix that was ever used, so that closing and opening a client frees no lock. */
    private static final Map<String, MemorySpace> SHARED = new ConcurrentHashMap<>();

    private final MemorySpace space;

    MemoryLockStore(MemorySpace space) {
        this.space = space;
    }

    /** {@return a store that shares its locks with all others of this key prefix and this class's loader} */
    public static MemoryLockStore shared(String keyPrefix) {
        return new MemoryLockStore(SHARED.computeIfAbsent(keyPrefix, prefix -> new MemorySpace(System::nanoTime)));
    }

    /** {@return a store with locks of its own, whose time is the given one in nanoseconds} */
    static MemoryLockStore isolated(LongSupplier nanoTicker) {
        return new MemoryLockStore(new MemorySpace(nanoTicker));
    }

    @Override
    public Acquisition acquire(String lockName, String grantId, Duration lease, long usedToken, long notAfterMicros) {
        return space.acquire(lockName, grantId, lease.toNanos(), usedToken, notAfterMicros);
    }

    @Override
    public boolean count(String lockName, String grantId, int holdCount, Duration lease) {
        return space.count(lockName, grantId, holdCount, lease.toNanos());
    }

    @Override
    public boolean release(String lockName, String grantId) {
        boolean released = space.release(lockName, grantId);
        if (released) {
            space.signal(lockName);
        }
        return released;
    }

    @Override
    public List<Renewal> renew(List<GrantKey> grants, Duration lease, Duration limit) {
        return grants.stream()
                .map(grant -> space.count(grant.lockName(), grant.grantId(), MemorySpace.SAME_COUNT, lease.toNanos()))
                .map(mine -> mine ? Renewal.RENEWED : Renewal.NOT_OWNED)
                .toList();
    }

    @Override
    public Optional<LockHolder> holder(String lockName) {
        return space.holder(lockName);
    }

    @Override
    public long timeMicros() {
        return space.timeMicros();
    }

    @Override
    public Subscription subscribe(String lockName, Runnable wakeUp) {
        return space.subscribe(this, lockName, wakeUp);
    }

    @Override
    public void close() {
        space.unsubscribeAll(this);
    }
}
