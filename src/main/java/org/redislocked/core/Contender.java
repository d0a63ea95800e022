package org.redislocked.core;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.redislocked.core.LockQueue.Waiter;
import org.redislocked.core.LockStore.Acquisition;
import org.redislocked.core.LockStore.Contended;
import org.redislocked.core.LockStore.Expired;
import org.redislocked.core.LockStore.GrantKey;
import org.redislocked.core.LockStore.Granted;
import org.redislocked.core.LockStore.Subscription;

/**
 * How the head of a queue gets the lock from the store: it tries, subscribes, tries again once the subscription is
 * confirmed, and then sleeps between tries for no longer than the holder's lease and the poll interval.
 *
 * <p>A signal that comes between a try and the sleep after it is not lost: the waiter remembers it. A signal that never
 * comes, since its sender died or the network dropped it, costs one sleep.
 */
final class Contender {

    /** The longest sleep of a head that no signal can wake. */
    private static final Duration UNSIGNALLED_POLL = Duration.ofMillis(100);

    /** Spreads the clients that wait for one lease to end. */
    private static final long JITTER_NANOS = Duration.ofMillis(10).toNanos();

    /** A call that may not wait tries once more if the failure came at once, as from a connection that had died. */
    private static final long FAILED_AT_ONCE_NANOS = Duration.ofMillis(100).toNanos();

    private static final String NOT_ACQUIRED = "it was not acquired";

    /**
     * How long a caller waits for another's try of a store that is given up. A store that is back answers in far less:
     * so that of many who come together then, not all but one fail.
     */
    private static final long PROBE_WAIT_NANOS = Duration.ofMillis(250).toNanos();

    /** How often those look who wait for it. */
    private static final long PROBE_POLL_NANOS = Duration.ofMillis(20).toNanos();

    /** Between tries that fail. */
    private static final Duration FIRST_PAUSE = Duration.ofMillis(20);

    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

    private final LockStore store;
    private final LockSettings settings;
    private final GrantIds grantIds;
    private final Releaser releaser;
    private final HoldKeeper keeper;
    private final LongSupplier nanoTime;
    private final Outage outage;
    private final ServerClock serverClock = new ServerClock();
    private final AtomicLong highestToken = new AtomicLong();

    Contender(
            LockStore store,
            LockSettings settings,
            GrantIds grantIds,
            Releaser releaser,
            HoldKeeper keeper,
            LongSupplier nanoTime) {
        this.store = store;
        this.settings = settings;
        this.grantIds = grantIds;
        this.releaser = releaser;
        this.keeper = keeper;
        this.nanoTime = nanoTime;
        outage = new Outage(settings.unavailableTimeout(), settings.operationTimeout());
    }

    /** {@return the hold, or null if the caller's time is up} */
    @Nullable
    ActiveHold contend(LockQueue queue, Waiter waiter, Patience patience, Lease lease) throws InterruptedException {
        Backoff backoff = new Backoff(FIRST_PAUSE, LONGEST_PAUSE);
        Backoff late = new Backoff(FIRST_PAUSE, LONGEST_PAUSE);
        Subscription subscription = null;
        long failingSince = 0;
        try {
            while (true) {
                waiter.forgetSignal();
                queue.refuseIfClosed();
                patience.checkInterrupt();
                Attempt attempt = queue.attempt(grantIds::next);
                boolean probe = awaitAdmission(queue, waiter, patience); // from here on it is ours to end
                long sent = nanoTime.getAsLong();
                Acquisition answer = null;
                long pauseNanos = 0;
                try {
                    answer = tryOnce(queue, attempt, patience, lease, sent);
                    outage.end(nanoTime);
                    backoff.reset();
                } catch (StoreException e) {
                    failingSince = backoff.failures() == 0 ? sent : failingSince;
                    pauseNanos = backoff.nextNanos();
                    if (shallGiveUp(e, failingSince, patience, backoff.failures())) {
                        throw LockErrors.unavailable(queue.lockName(), NOT_ACQUIRED, e);
                    }
                } finally {
                    if (probe) {
                        outage.endProbe();
                    }
                }
                if (answer == null) {
                    waiter.sleep(patience, queue, pauseNanos);
                    continue;
                }
                if (answer instanceof Granted granted) {
                    ActiveHold hold = accept(queue, attempt, granted, lease, sent);
                    if (hold != null) {
                        return hold;
                    }
                }
                if (patience.isOver()) {
                    return null;
                }
                if (answer instanceof Granted) { // too late: Redis is slower than this lease is long
                    waiter.sleep(patience, queue, late.nextNanos());
                }
                if (answer instanceof Contended contended) {
                    if (subscription == null) {
                        subscription = store.subscribe(queue.lockName(), waiter::signal);
                    }
                    waiter.sleep(patience, queue, sleepNanos(contended, subscription.isActive()));
                }
            }
        } finally {
            if (subscription != null) {
                subscription.close();
            }
        }
    }

    /**
     * Waits until the caller may try: at once, unless the store is given up.
     *
     * @return whether its try is the probe of a store that is given up
     */
    private boolean awaitAdmission(LockQueue queue, Waiter waiter, Patience patience) throws InterruptedException {
        while (outage.isGivenUp(nanoTime.getAsLong())) {
            boolean probe = outage.beginProbe();
            try {
                // Asked by the prober as well: the probe before it may just have failed, or have ended the outage.
                refuseIfGivenUp(queue, patience, probe ? Long.MAX_VALUE : probeWaitNanos(waiter, patience));
                if (probe && outage.isGivenUp(nanoTime.getAsLong())) {
                    probe = false; // it is the caller's to end
                    return true;
                }
            } finally {
                if (probe) {
                    outage.endProbe();
                }
            }
            waiter.forgetSignal(); // whatever it was: a try is to come, or a refusal
            waiter.sleep(patience, queue, PROBE_POLL_NANOS);
        }
        return false;
    }

    /**
     * {@return for how long who waits behind one that tries may sleep before it looks again}
     *
     * @throws org.redislocked.RedisLockUnavailableException if the store is given up, and the waiter has waited long
     *     enough for those who try
     */
    long untilNextLookNanos(LockQueue queue, Waiter waiter, Patience patience) {
        if (!outage.isGivenUp(nanoTime.getAsLong())) {
            return Long.MAX_VALUE;
        }
        refuseIfGivenUp(queue, patience, probeWaitNanos(waiter, patience));
        return PROBE_POLL_NANOS;
    }

    private long probeWaitNanos(Waiter waiter, Patience patience) {
        return Math.min(patience.remainingNanos(), PROBE_WAIT_NANOS - waiter.waitedForProbeNanos(nanoTime.getAsLong()));
    }

    private void refuseIfGivenUp(LockQueue queue, Patience patience, long waitNanos) {
        StoreException refusal = outage.refusal(patience.startNanos(), waitNanos, nanoTime.getAsLong());
        if (refusal != null) {
            throw LockErrors.unavailable(queue.lockName(), NOT_ACQUIRED, refusal);
        }
    }

    /**
     * Tells a caller whose time is up, though nobody here holds the lock, if that is for want of an answer.
     *
     * @throws org.redislocked.RedisLockUnavailableException if the store failed the last try of any caller
     */
    void refuseIfFailing(LockQueue queue) {
        StoreException failure = outage.failure(nanoTime.getAsLong());
        if (failure != null) {
            throw LockErrors.unavailable(queue.lockName(), NOT_ACQUIRED, failure);
        }
    }

    private boolean shallGiveUp(StoreException e, long failingSince, Patience patience, int failures) {
        if (e.kind() == StoreException.Kind.REFUSED) {
            outage.end(nanoTime); // a refusal is an answer
            return true;
        }
        long now = nanoTime.getAsLong();
        boolean givenUp = outage.failed(failingSince, now, e);
        boolean timeIsUp = patience.isOver() && !(failures == 1 && now - failingSince < FAILED_AT_ONCE_NANOS);
        return givenUp || timeIsUp;
    }

    private Acquisition tryOnce(LockQueue queue, Attempt attempt, Patience patience, Lease lease, long sent) {
        if (!serverClock.isFresh(sent)) {
            long time = store.timeMicros();
            long answered = nanoTime.getAsLong();
            serverClock.observe(sent, answered, time);
            if (patience.isOver()
                    && answered - sent >= settings.operationTimeout().toNanos() / 2) {
                outage.end(nanoTime);
                throw new StoreException( // two slow answers would be more than a caller has to wait beyond its time
                        StoreException.Kind.UNREACHABLE,
                        "Redis took " + Duration.ofNanos(answered - sent).toMillis()
                                + " ms to tell its time, and no time was left to try.",
                        null);
            }
        }
        long start = nanoTime.getAsLong();
        long notAfter = start + settings.operationTimeout().toNanos();
        boolean unknown = true; // whatever is thrown may come after the execution, unless it says that it does not
        try {
            Acquisition answer = store.acquire(
                    queue.lockName(),
                    attempt.grantId(),
                    lease.time(),
                    highestToken.get(),
                    serverClock.latestMicrosAt(notAfter));
            unknown = false;
            if (answer instanceof Contended) {
                attempt.contended(start);
            } else if (answer instanceof Expired expired) {
                serverClock.observe(start, nanoTime.getAsLong(), expired.timeMicros());
                outage.end(nanoTime);
                throw new StoreException(
                        StoreException.Kind.UNREACHABLE,
                        "The attempt reached the server too late, or the server's clock has jumped.",
                        null);
            }
            return answer;
        } catch (StoreException e) {
            unknown = e.kind() == StoreException.Kind.UNKNOWN;
            throw e;
        } finally {
            if (unknown) {
                long lateUntil = notAfter + serverClock.uncertaintyNanos(notAfter);
                attempt.lostAnswer(sent, lateUntil, lateUntil + Nanos.of(lease.time()));
            }
        }
    }

    /** {@return the hold, or null if the answer came too late to be of use} */
    private @Nullable ActiveHold accept(LockQueue queue, Attempt attempt, Granted granted, Lease lease, long sent) {
        queue.endAttempt();
        long now = nanoTime.getAsLong();
        serverClock.observe(sent, now, granted.timeMicros());
        highestToken.accumulateAndGet(granted.token(), Math::max);
        GrantKey key = new GrantKey(queue.lockName(), attempt.grantId());
        long deadline = lease.deadlineNanos(attempt.leaseFromNanos(sent));
        long aliveUntil = attempt.aliveUntilNanos(now + Nanos.of(lease.time()));
        Grant grant = new Grant(key, granted.token(), deadline, aliveUntil, nanoTime);
        if (attempt.isInDoubt()) {
            // An earlier try may still be executed, even after this grant was released: it would be an orphan then.
            releaser.releaseAgainAt(grant, attempt.lateUntilNanos());
        }
        if (grant.isDue()) {
            grant.lose();
            releaser.releaseInBackground(grant);
            return null;
        }
        return new ActiveHold(grant, queue, lease, keeper, now);
    }

    /** The hold that keeps its queue from trying may be at its end, and nobody else may see that. */
    void loseIfDue(ActiveHold hold) {
        keeper.loseIfDue(hold);
    }

    /** Nobody goes on with this attempt, and it may have become a grant, or will. */
    void abandon(String lockName, Attempt attempt) {
        releaser.releaseAbandoned(
                new GrantKey(lockName, attempt.grantId()),
                attempt.lateUntilNanos(),
                attempt.aliveUntilNanos(attempt.lateUntilNanos()));
    }

    private long sleepNanos(Contended contended, boolean signalled) {
        Duration poll = signalled || settings.pollInterval().compareTo(UNSIGNALLED_POLL) < 0
                ? settings.pollInterval()
                : UNSIGNALLED_POLL;
        // A key without a time to live is not ours to wait for: its end may come at any time, without a signal.
        long untilFree = contended.leaseMillis() < 0
                ? Long.MAX_VALUE
                : Duration.ofMillis(contended.leaseMillis() + 1).toNanos();
        return Math.min(poll.toNanos(), untilFree) + ThreadLocalRandom.current().nextLong(JITTER_NANOS);
    }
}
