package org.redislocked;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * A reentrant mutual exclusion lock of one name, shared by every JVM that uses the same Redis and key prefix.
 *
 * <pre>{@code
 * lock.lock();
 * try {
 *     ...
 * } finally {
 *     lock.unlock();
 * }
 * }</pre>
 *
 * <h2>Ownership</h2>
 * A hold is owned by the thread that acquired it: this thread may enter again, and must {@link #unlock()} as often as
 * it entered. Handles are cheap, may be used by any thread, and are equal if client, name and view are equal; two handles of
 * one name are one lock.
 *
 * <h2>Lease</h2>
 * Redis keeps the lock for a lease, so that a crashed holder frees it. While the owner holds the lock, the lease is
 * renewed in the background at a third of its time. A hold that was entered only with an explicit lease is not
 * renewed and ends with it. A renewed entry inside such a hold renews it until that entry is left.
 *
 * <h2>Loss</h2>
 * If renewal fails for as long as the lease, or Redis answers that the lock is somebody else's, the hold is
 * <em>lost</em>, and stays lost. {@link #isHeldByCurrentThread()} is false from then on; entering again and
 * {@code unlock()} throw {@link RedisLockLostException}, the latter once for each entry. So call {@code unlock()}
 * whether the lock is still held or not: an owner that leaves it out because {@code isHeldByCurrentThread()} is false is
 * never told, and neither is its thread rid of the lost hold. A paused JVM cannot see its
 * loss in time: let the resource check the {@linkplain #fencingToken() fencing token} where that matters.
 *
 * <h2>Left behind</h2>
 * In a container, a hold that was taken by hand and not unlocked at the end of the HTTP request or EJB call that took it is
 * unlocked then, with an error in the log. If another thread ends the request, the hold is reported, and left when its
 * thread takes the lock in another request.
 *
 * <h2>Interruption</h2>
 * A thread is interruptible while it waits, in the methods that declare {@link InterruptedException}, not while it
 * talks to Redis. If the lock was granted before the interrupt was seen, the method returns normally with the
 * interrupt status set. An interrupted attempt leaves nothing behind, neither here nor in Redis; where the answer of
 * Redis was lost, the clean-up is done in the background, at the latest by the end of the lease.
 *
 * <h2>Time</h2>
 * Times are limits for waiting in the queue. A call that is talking to Redis when its time is up returns after at most
 * the connect, pool and command time-outs more. Times are kept on the monotonic clock.
 *
 * <h2>Memory effects</h2>
 * Inside one JVM a successful acquisition and release have the effects that {@link Lock} demands: what a thread did
 * before it released the lock <em>happens before</em> what follows the next acquisition. Between JVMs there is no
 * shared memory and so no such effect, beyond what the resource gives that they share.
 *
 * <h2>Redis cannot be reached</h2>
 * Acquiring methods keep trying until their time is up, or Redis has not answered for the {@code unavailable-timeout};
 * then, or at once if Redis refuses the command, they throw {@link RedisLockUnavailableException}. From then on one call
 * at a time tries, and all new ones throw it within 250 ms, until Redis answers. A release that
 * cannot be sent is repeated in the background, and not reported: the work was done under a valid lease.
 *
 * <p>This interface is implemented by this library only; methods may be added.
 */
public interface ReentrantRedisLock extends Lock {

    /** {@return the name of this lock} */
    String name();

    /**
     * Acquires the lock, waiting for as long as it takes, with a lease that is renewed.
     *
     * <p>Not interruptible: an interrupt is remembered and left set.
     *
     * @throws RedisLockUnavailableException if Redis cannot be reached or refuses
     * @throws RedisLockLostException if the current thread re-enters a hold that was lost
     * @throws IllegalStateException if the client was closed, as at the end of the application
     */
    @Override
    void lock();

    /**
     * As {@link #lock()}, with an explicit lease that is not renewed.
     *
     * @param leaseTime from 100 ms to 365 days. A re-entry never shortens the lease
     * @param unit of the lease
     * @throws IllegalArgumentException if the lease is out of these bounds
     */
    void lock(long leaseTime, TimeUnit unit);

    /**
     * As {@link #lock()}, but interruptible while it waits.
     *
     * @throws InterruptedException if the current thread is interrupted at the call or while waiting
     */
    @Override
    void lockInterruptibly() throws InterruptedException;

    /**
     * Acquires the lock if it is free at the time of the call.
     *
     * <p>It does not wait, and it does not overtake: where other threads of this client wait for the lock, it is not free.
     *
     * @return whether the lock was acquired
     * @throws RedisLockUnavailableException if Redis cannot be reached or refuses
     * @throws RedisLockLostException if the current thread re-enters a hold that was lost
     * @throws IllegalStateException if the client was closed
     */
    @Override
    boolean tryLock();

    /**
     * As {@link #lockInterruptibly()}, waiting no longer than the given time.
     *
     * @param time zero or less: do not wait
     * @param unit of the time
     * @return whether the lock was acquired
     */
    @Override
    boolean tryLock(long time, TimeUnit unit) throws InterruptedException;

    /**
     * As {@link #tryLock(long, TimeUnit)}, with an explicit lease that is not renewed.
     *
     * @param waitTime zero or less: do not wait
     * @param leaseTime from 100 ms to 365 days, in the same unit. A re-entry never shortens the lease
     * @param unit of both
     * @return whether the lock was acquired
     * @throws InterruptedException if the current thread is interrupted at the call or while waiting
     * @throws IllegalArgumentException if the lease is out of these bounds
     */
    boolean tryLock(long waitTime, long leaseTime, TimeUnit unit) throws InterruptedException;

    /**
     * Leaves the lock: once for each entry, the last one releases it.
     *
     * @throws IllegalMonitorStateException if the current thread does not hold this lock
     * @throws RedisLockLostException if the hold was lost before it was released, so that somebody else may have held
     *     the lock meanwhile. The entry is left all the same
     */
    @Override
    void unlock();

    /**
     * Leaves the lock when the stage is complete: once, like {@link #unlock()}, for the innermost entry. For work that goes
     * on after the current thread is done with it.
     *
     * <pre>{@code
     * lock.lock();
     * try {
     *     stage = http.sendAsync(request, handler);
     * } catch (Throwable t) {
     *     lock.unlock();
     *     throw t;
     * }
     * return lock.unlockWhenComplete(stage);
     * }</pre>
     *
     * <p>From this call on the entry is the stage's and not the current thread's. Its lease is renewed until the stage is
     * complete, in whatever way; the release is done by the thread that completes it. So a stage must not complete before
     * its work is done, and one that never completes keeps the lock, for the {@code max-hold-time} at the longest.
     *
     * @param <T> of the result
     * @param stage the work that goes on
     * @return completes as the stage, after the lock was left; exceptionally with {@link RedisLockLostException}, added as
     *     suppressed to the stage's own failure, if the hold was lost meanwhile. To cancel it is to cancel the stage, where
     *     that is a {@link CompletableFuture}
     * @throws IllegalMonitorStateException if the current thread does not hold this lock
     */
    <T> CompletableFuture<T> unlockWhenComplete(CompletionStage<T> stage);

    /**
     * {@return a view of this lock that transactions keep until their end}
     *
     * <p>Who enters by this view inside an active JTA transaction, keeps the lock until both the last {@code unlock()}
     * and the end of the transaction have come, so that the next holder sees what was committed. In the same way it is kept
     * for a transaction that was begun between {@code lock()} and {@code unlock()} and is still active then. Inside the
     * transaction the lock may be entered again, by any view, after it was unlocked. Without a transaction, and in one that
     * is marked for rollback, the view is no different. {@link RedisLocked} methods do this by themselves.
     *
     * <p>Where a hold was lost before the commit, or will perhaps be before that is done, the transaction is rolled
     * back. Acquiring methods throw {@link IllegalStateException} if the transaction refuses to tell of its end, or has
     * ended while they waited; {@code unlock()} then marks it for rollback.
     *
     * <p>The transaction has one entry more, which {@link #getHoldCount()} does not count: it is the thread's own calls that
     * {@code unlock()} has to leave.
     */
    ReentrantRedisLock joiningTransaction();

    /**
     * Not supported.
     *
     * @throws UnsupportedOperationException always
     */
    @Override
    Condition newCondition();

    /**
     * {@return whether any thread of any JVM holds this lock, as Redis sees it now}
     *
     * @throws RedisLockUnavailableException if Redis cannot be reached or refuses
     */
    boolean isLocked();

    /**
     * {@return who holds this lock, as Redis sees it now; empty if it is free}
     *
     * @throws RedisLockUnavailableException if Redis cannot be reached or refuses
     */
    Optional<LockHolder> holder();

    /** {@return whether the current thread holds this lock, by a hold that was not lost} Does not talk to Redis. */
    boolean isHeldByCurrentThread();

    /** {@return how often the current thread has entered this lock; 0 if it does not hold it or lost it} */
    int getHoldCount();

    /**
     * {@return {@link Hold#remainingLease()} of the hold of the current thread; zero if it does not hold the lock or
     * lost it}
     */
    Duration remainingLease();

    /**
     * {@return {@link Hold#fencingToken()} of the hold of the current thread}
     *
     * @throws IllegalMonitorStateException if the current thread does not hold this lock
     * @throws RedisLockLostException if the hold was lost
     */
    long fencingToken();
}
