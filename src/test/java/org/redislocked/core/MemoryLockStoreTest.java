package org.redislocked.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.redislocked.core.LockStore.Contended;
import org.redislocked.core.LockStore.Granted;

class MemoryLockStoreTest extends LockStoreContract {

    private static final Duration LEASE = Duration.ofSeconds(30);

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 10);
    private final MemorySpace space = new MemorySpace(nanos::get);

    @Override
    protected LockStore open() {
        return new MemoryLockStore(space);
    }

    @Override
    protected void endLease(String lockName) {
        nanos.addAndGet(Duration.ofSeconds(61).toNanos());
    }

    /** It has but one number for all locks, which it never forgets. */
    @Override
    protected void loseTokens(String lockName) {}

    @Test
    void lock_untilItsLeaseEnds_isKept() {
        LockStore store = open();
        store.acquire(lock, "a:1:1", LEASE, 0, 0);

        nanos.addAndGet(LEASE.toNanos() - 1);
        assertThat(store.acquire(lock, "b:1:1", LEASE, 0, 0)).isEqualTo(new Contended(0));

        nanos.addAndGet(1);
        assertThat(store.acquire(lock, "b:1:1", LEASE, 0, 0)).isInstanceOf(Granted.class);
    }

    @Test
    void locks_whenNobodyAsksForThemAgain_leaveNothing() {
        LockStore store = open();
        for (int i = 0; i < 10_000; i++) {
            store.acquire("lock-" + i, "a:1:" + i, LEASE, 0, 0);
            nanos.addAndGet(LEASE.toNanos());
        }

        assertThat(space.size()).isLessThan(100);
    }

    @Test
    void shared_byKeyPrefix_isOneSpace() {
        String prefix = UUID.randomUUID() + ":";
        LockStore store = MemoryLockStore.shared(prefix);
        store.acquire(lock, "a:1:1", LEASE, 0, 0);

        assertThat(MemoryLockStore.shared(prefix).holder(lock)).isPresent();
        assertThat(MemoryLockStore.shared("another").holder(lock)).isEmpty();
    }
}
