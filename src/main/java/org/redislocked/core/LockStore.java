package org.redislocked.core;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.redislocked.LockHolder;

/**
 * Where all clients see the same grants: Redis, or the memory of this JVM.
 *
 * <p>Each operation is atomic, safe to run twice and safe to run late: grant ids are never used again, counts are set
 * and not incremented, nothing shortens a lease. Operations block for a bounded time, may be called by any thread, and
 * leave the interrupt status as they found it. They throw {@link StoreException} only, which says whether the operation
 * may have been executed.
 *
 * <p>Server times are microseconds since the epoch, by the store's clock.
 */
public interface LockStore extends AutoCloseable {

    /**
     * Gives the lock to the grant if it is free or already the grant's.
     *
     * @param lease how long the store keeps the grant from now on
     * @param usedToken the highest fencing token that the client knows; the new one is higher
     * @param notAfterMicros server time after which this attempt is refused
     */
    Acquisition acquire(String lockName, String grantId, Duration lease, long usedToken, long notAfterMicros);

    /**
     * Records the hold count of a grant, and extends its lease where it would end before {@code lease} from now.
     *
     * @return false if the lock is not the grant's
     */
    boolean count(String lockName, String grantId, int holdCount, Duration lease);

    /**
     * Frees the lock and signals that to all clients.
     *
     * @return false if the lock was not the grant's
     */
    boolean release(String lockName, String grantId);

    /**
     * Extends the leases of many grants in one go where they would end before {@code lease} from now.
     *
     * <p>One grant's failure does not touch the others, and no other operation keeps it waiting. Several threads may
     * call it, one after the other.
     *
     * @param limit when to give up, with the time spent waiting for another thread; what was not answered by then is {@link Renewal#FAILED}
     * @return the outcomes, in the order of the grants
     */
    List<Renewal> renew(List<GrantKey> grants, Duration lease, Duration limit);

    /** {@return who has the lock, if anybody} */
    Optional<LockHolder> holder(String lockName);

    /** {@return the server time} */
    long timeMicros();

    /**
     * Runs {@code wakeUp} whenever the lock may have become free: after each signal, and each time that the
     * subscription becomes or stops being active.
     *
     * <p>Returns at once, before the subscription is active, and never throws: a subscription that cannot be had stays
     * inactive. Signals may be lost: they are hints. {@code wakeUp} must not block.
     */
    Subscription subscribe(String lockName, Runnable wakeUp);

    /** Ends what runs in the background and closes the connections. Running operations fail. */
    @Override
    void close();

    /** The answer to an attempt to acquire. */
    sealed interface Acquisition {}

    /**
     * The lock is the grant's.
     *
     * @param token the fencing token
     * @param timeMicros server time of the execution
     */
    record Granted(long token, long timeMicros) implements Acquisition {}

    /**
     * Somebody else has the lock. Nothing was changed.
     *
     * @param leaseMillis the rest of their lease; negative if it has no end
     */
    record Contended(long leaseMillis) implements Acquisition {}

    /**
     * The attempt came too late. Nothing was changed.
     *
     * @param timeMicros server time of the execution
     */
    record Expired(long timeMicros) implements Acquisition {}

    /** A grant of a lock. */
    record GrantKey(String lockName, String grantId) {}

    /** What became of the renewal of one grant. */
    enum Renewal {
        RENEWED,
        NOT_OWNED,
        /** Refused, or perhaps executed. */
        FAILED
    }

    /** Interest in one lock, until it is closed. */
    interface Subscription extends AutoCloseable {

        /** {@return whether the store has confirmed the subscription and its connection is up} */
        boolean isActive();

        @Override
        void close();
    }
}
