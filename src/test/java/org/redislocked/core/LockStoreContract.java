package org.redislocked.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.redislocked.core.LockStore.Contended;
import org.redislocked.core.LockStore.Expired;
import org.redislocked.core.LockStore.GrantKey;
import org.redislocked.core.LockStore.Granted;
import org.redislocked.core.LockStore.Renewal;
import org.redislocked.core.LockStore.Subscription;

/** What every store must do; run for each of them. */
public abstract class LockStoreContract {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration LONGER = Duration.ofSeconds(60);
    private static final Duration LIMIT = Duration.ofSeconds(5);
    private static final long NEVER = 0;
    private static final String MINE = "me-1f:1:1";
    private static final String OTHERS = "you-2e:1:1";

    protected final String lock = "order-" + UUID.randomUUID();
    private LockStore store;

    /** Opens one more client of the same locks. */
    protected abstract LockStore open();

    /** Lets the lease of the lock end. */
    protected abstract void endLease(String lockName);

    /** Lets the store forget all tokens it gave for the lock. */
    protected abstract void loseTokens(String lockName);

    @BeforeEach
    void openStore() {
        store = open();
    }

    @AfterEach
    void closeStore() {
        store.close();
    }

    @Test
    void acquire_whenFree_isGranted() {
        long before = store.timeMicros();

        Granted granted = granted(MINE);

        assertThat(granted.token()).isGreaterThanOrEqualTo(before);
        assertThat(granted.timeMicros()).isBetween(before, store.timeMicros());
        assertThat(store.holder(lock)).hasValueSatisfying(holder -> {
            assertThat(holder.grantId()).isEqualTo(MINE);
            assertThat(holder.holdCount()).isEqualTo(1);
            assertThat(holder.remainingLease()).isBetween(LEASE.minus(LIMIT), LEASE);
            assertThat(holder.heldFor()).isBetween(Duration.ZERO, LIMIT);
        });
    }

    @Test
    void acquire_whenAnothers_isContended() {
        granted(OTHERS);

        assertThat(store.acquire(lock, MINE, LONGER, 0, NEVER))
                .isInstanceOfSatisfying(
                        Contended.class,
                        contended -> assertThat(Duration.ofMillis(contended.leaseMillis()))
                                .isBetween(LEASE.minus(LIMIT), LEASE));
        assertThat(holder()).isEqualTo(OTHERS);
    }

    @Test
    void acquire_again_isGrantedWithHigherToken() {
        Granted first = granted(MINE);
        store.count(lock, MINE, 3, LEASE);

        Granted second = granted(MINE);

        assertThat(second.token()).isGreaterThan(first.token());
        assertThat(store.holder(lock).orElseThrow().holdCount()).isEqualTo(3);
    }

    @Test
    void acquire_againWithShorterLease_doesNotShorten() {
        store.acquire(lock, MINE, LONGER, 0, NEVER);

        granted(MINE);

        assertThat(remainingLease()).isGreaterThan(LEASE);
    }

    @Test
    void acquire_afterNotAfter_isExpiredAndChangesNothing() {
        long past = store.timeMicros() - 1;

        assertThat(store.acquire(lock, MINE, LEASE, 0, past))
                .isInstanceOfSatisfying(
                        Expired.class,
                        expired -> assertThat(expired.timeMicros()).isGreaterThan(past));
        assertThat(store.holder(lock)).isEmpty();
    }

    @Test
    void acquire_beforeNotAfter_isGranted() {
        long future = store.timeMicros() + LIMIT.toNanos() / 1_000;

        assertThat(store.acquire(lock, MINE, LEASE, 0, future)).isInstanceOf(Granted.class);
    }

    @Test
    void acquire_whenLeaseEnded_isGrantedToAnother() {
        Granted first = granted(MINE);
        endLease(lock);
        assertThat(store.holder(lock)).isEmpty();

        Granted second = granted(OTHERS);

        assertThat(second.token()).isGreaterThan(first.token());
        assertThat(holder()).isEqualTo(OTHERS);
    }

    @Test
    void acquire_whenKnownTokenIsHigher_outgrowsIt() {
        long used = store.timeMicros() + 3_600_000_000L;

        assertThat(store.acquire(lock, MINE, LEASE, used, NEVER))
                .isInstanceOfSatisfying(
                        Granted.class, granted -> assertThat(granted.token()).isEqualTo(used + 1));
        store.release(lock, MINE);

        assertThat(granted(OTHERS).token()).isEqualTo(used + 2);
    }

    @Test
    void acquire_whenTokensWereForgotten_stillGrows() {
        Granted first = granted(MINE);
        store.release(lock, MINE);
        loseTokens(lock);

        assertThat(granted(OTHERS).token()).isGreaterThan(first.token());
    }

    @Test
    void acquire_byTwoClients_excludesOneAnother() {
        try (LockStore second = open()) {
            granted(MINE);

            assertThat(second.acquire(lock, OTHERS, LEASE, 0, NEVER)).isInstanceOf(Contended.class);
        }
    }

    @Test
    void operations_whenInterrupted_workAndKeepTheFlag() {
        Thread.currentThread().interrupt();
        try {
            granted(MINE);
            assertThat(store.count(lock, MINE, 2, LEASE)).isTrue();
            assertThat(store.renew(List.of(new GrantKey(lock, MINE)), LEASE, LIMIT))
                    .containsExactly(Renewal.RENEWED);
            assertThat(store.release(lock, MINE)).isTrue();
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void count_whenOwned_isShownAndExtends() {
        granted(MINE);

        assertThat(store.count(lock, MINE, 2, LONGER)).isTrue();

        assertThat(store.holder(lock).orElseThrow().holdCount()).isEqualTo(2);
        assertThat(remainingLease()).isGreaterThan(LEASE);
    }

    @Test
    void count_withShorterOrNoLease_doesNotShorten() {
        store.acquire(lock, MINE, LONGER, 0, NEVER);

        assertThat(store.count(lock, MINE, 2, LEASE)).isTrue();
        assertThat(store.count(lock, MINE, 1, Duration.ZERO)).isTrue();

        assertThat(remainingLease()).isGreaterThan(LEASE);
    }

    @Test
    void count_whenNotOwned_isFalseAndChangesNothing() {
        assertThat(store.count(lock, MINE, 2, LEASE)).isFalse();
        assertThat(store.holder(lock)).isEmpty();

        granted(OTHERS);

        assertThat(store.count(lock, MINE, 2, LONGER)).isFalse();
        assertThat(store.holder(lock).orElseThrow().holdCount()).isEqualTo(1);
        assertThat(remainingLease()).isLessThanOrEqualTo(LEASE);
    }

    @Test
    void release_whenOwned_frees() {
        granted(MINE);

        assertThat(store.release(lock, MINE)).isTrue();

        assertThat(store.holder(lock)).isEmpty();
        assertThat(store.release(lock, MINE)).isFalse();
    }

    @Test
    void release_whenAnothers_isFalseAndChangesNothing() {
        granted(OTHERS);

        assertThat(store.release(lock, MINE)).isFalse();

        assertThat(holder()).isEqualTo(OTHERS);
    }

    @Test
    void renew_manyGrants_tellsEachAndChangesNoCount() {
        granted(MINE);
        store.count(lock, MINE, 2, LEASE);
        String anothers = lock + "-another";
        store.acquire(anothers, OTHERS, LEASE, 0, NEVER);

        List<Renewal> outcomes = store.renew(
                List.of(
                        new GrantKey(anothers, MINE),
                        new GrantKey(lock, MINE),
                        new GrantKey(lock + "-free", MINE),
                        new GrantKey(anothers, OTHERS)),
                LONGER,
                LIMIT);

        assertThat(outcomes).containsExactly(Renewal.NOT_OWNED, Renewal.RENEWED, Renewal.NOT_OWNED, Renewal.RENEWED);
        assertThat(remainingLease()).isGreaterThan(LEASE);
        assertThat(store.holder(lock).orElseThrow().holdCount()).isEqualTo(2);
    }

    @Test
    void renew_withShorterLease_doesNotShorten() {
        store.acquire(lock, MINE, LONGER, 0, NEVER);

        store.renew(List.of(new GrantKey(lock, MINE)), LEASE, LIMIT);

        assertThat(remainingLease()).isGreaterThan(LEASE);
    }

    @Test
    void renew_nothing_isEmpty() {
        assertThat(store.renew(List.of(), LEASE, LIMIT)).isEmpty();
    }

    @Test
    void subscribe_soon_becomesActiveAndWakes() throws InterruptedException {
        Semaphore wakeUps = new Semaphore(0);

        try (Subscription subscription = store.subscribe(lock, wakeUps::release)) {
            await(wakeUps);
            assertThat(subscription.isActive()).isTrue();
        }
    }

    @Test
    void subscribe_whenAnotherOfTheNameIsActive_wakesToo() throws InterruptedException {
        Semaphore wakeUps = new Semaphore(0);
        Semaphore secondWakeUps = new Semaphore(0);
        try (Subscription first = store.subscribe(lock, wakeUps::release)) {
            await(wakeUps);
            try (Subscription second = store.subscribe(lock, secondWakeUps::release)) {
                await(secondWakeUps);
                assertThat(List.of(first.isActive(), second.isActive())).containsOnly(true);
            }
        }
    }

    @Test
    void release_whenSubscribed_wakesAllClients() throws InterruptedException {
        try (LockStore second = open()) {
            Semaphore here = new Semaphore(0);
            Semaphore there = new Semaphore(0);
            granted(MINE);
            try (Subscription mine = store.subscribe(lock, here::release);
                    Subscription others = second.subscribe(lock, there::release)) {
                await(here);
                await(there);

                store.release(lock, MINE);

                await(here);
                await(there);
                assertThat(List.of(mine.isActive(), others.isActive())).containsOnly(true);
            }
        }
    }

    @Test
    void subscription_whenClosed_isInactive() throws InterruptedException {
        Semaphore wakeUps = new Semaphore(0);
        Subscription subscription = store.subscribe(lock, wakeUps::release);
        await(wakeUps);

        subscription.close();
        subscription.close();

        assertThat(subscription.isActive()).isFalse();
    }

    @Test
    void subscription_whenAnotherOfTheNameIsClosed_goesOn() throws InterruptedException {
        Semaphore wakeUps = new Semaphore(0);
        try (Subscription staying = store.subscribe(lock, wakeUps::release)) {
            await(wakeUps);
            store.subscribe(lock, () -> {}).close();
            granted(MINE);

            store.release(lock, MINE);

            await(wakeUps);
            assertThat(staying.isActive()).isTrue();
        }
    }

    @Test
    void wakeUp_whenItThrows_doesNotKeepOthersAsleep() throws InterruptedException {
        Semaphore wakeUps = new Semaphore(0);
        try (Subscription throwing = store.subscribe(lock, () -> {
                    throw new IllegalStateException("meant to be");
                });
                Subscription listening = store.subscribe(lock, wakeUps::release)) {
            await(wakeUps);
            granted(MINE);

            store.release(lock, MINE);

            await(wakeUps);
            assertThat(List.of(throwing.isActive(), listening.isActive())).containsOnly(true);
        }
    }

    @Test
    void close_whenSubscribed_endsSubscriptions() throws InterruptedException {
        LockStore closing = open();
        Semaphore wakeUps = new Semaphore(0);
        Subscription subscription = closing.subscribe(lock, wakeUps::release);
        await(wakeUps);

        closing.close();
        closing.close();

        assertThat(subscription.isActive()).isFalse();
    }

    private Granted granted(String grantId) {
        return (Granted) store.acquire(lock, grantId, LEASE, 0, NEVER);
    }

    private String holder() {
        return store.holder(lock).orElseThrow().grantId();
    }

    private Duration remainingLease() {
        return store.holder(lock).orElseThrow().remainingLease();
    }

    private static void await(Semaphore wakeUps) throws InterruptedException {
        assertThat(wakeUps.tryAcquire(LIMIT.toMillis(), TimeUnit.MILLISECONDS))
                .as("woken up within %s", LIMIT)
                .isTrue();
    }
}
