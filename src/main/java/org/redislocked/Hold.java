package org.redislocked;

import java.time.Duration;

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
}
