package org.redislocked;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * One outermost acquisition of a lock, from the first entry of its owner to the last exit.
 *
 * <p>Re-entering the lock does not begin another hold. The one of the running code is given by
 * {@link RedisLocks#current()}; it may be passed to other threads, and its methods may be called by any thread.
 */
public interface Hold {

    /** {@return the name of the lock that is held} */
    String lockName();

    /**
     * {@return a name for this hold that no other hold ever has}
     *
     * <p>It begins with what the lock's hash in Redis shows while the hold lasts: the client's name, its random part,
     * the thread's id and a sequence number.
     */
    String id();

    /**
     * {@return the fencing token of this hold: a positive number greater than that of every earlier hold of this lock}
     *
     * <p>Send it with each write and let the storage refuse a write whose token is smaller than one it has seen. That
     * is the one protection that also holds when a pause of this JVM outlasts the lease. The value stays the same
     * after the hold has ended or was lost; it fits a {@code double} exactly.
     *
     * @see <a href="https://martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html">How to do distributed
     *     locking</a>
     */
    long fencingToken();

    /**
     * {@return for how long this hold is certain to be valid if it were not renewed again; zero once it has ended or
     * was lost}
     *
     * <p>It is counted on the local monotonic clock from before the last successful acquisition or renewal was sent,
     * and rounded against the holder: Redis keeps the lock for longer.
     */
    Duration remainingLease();

    /**
     * A check point for long work: returns when this hold is certain to be valid for at least the given time from now
     * on, extending its lease if need be.
     *
     * <pre>{@code
     * for (Batch batch : batches) {
     *     hold.ensureHeld(Duration.ofSeconds(10)); // as long as a batch takes
     *     storage.write(batch, hold.fencingToken());
     * }
     * }</pre>
     *
     * <p>It does not talk to Redis while enough of the lease is left. Else it tries until the present lease ends, for the
     * {@code unavailable-timeout} at the longest; it cannot be interrupted. A hold with an explicit lease is extended,
     * too. If this JVM dies afterwards, others wait until the lease that was extended has ended: so ask for as long as one
     * step takes, not for all of them. What it promises is void if the machine is suspended, as everything that rests on a lease.
     *
     * @param time for how long; zero or less: whether it is valid now. At most 300 days
     * @throws RedisLockLostException if the hold was lost
     * @throws RedisLockUnavailableException if Redis could not be asked, though the hold is still valid for
     *     {@link #remainingLease()}
     * @throws IllegalStateException if the hold has ended, by its owner's leaving
     * @throws IllegalArgumentException if the time is too long
     */
    void ensureHeld(Duration time);

    /**
     * Runs the callback once when this hold is lost, soon if it was lost already; never if the hold ends in any other
     * way.
     *
     * <p>The callback runs on a thread of the library, one after the other with all callbacks of the client: with
     * nothing of the caller's, be it identity, transaction, context or context class loader. It should only set a flag,
     * cancel or interrupt; work of any length belongs to a thread of the application, and would keep all others from being
     * told. What it throws is logged.
     *
     * @param callback what to do
     */
    void onLost(Consumer<? super LockLost> callback);
}
