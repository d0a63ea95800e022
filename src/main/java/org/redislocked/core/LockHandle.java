package org.redislocked.core;

import java.io.NotSerializableException;
import java.io.Serial;
import java.io.Serializable;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;
import org.redislocked.LockHolder;
import org.redislocked.ReentrantRedisLock;

/**
 * A name at its engine, and how it is entered: the handle that applications get. Equal if all are.
 *
 * @param joiningTransactions whether transactions keep the lock until their end
 * @param guarded whether it may be forgotten to unlock
 */
record LockHandle(LockEngine engine, String name, boolean joiningTransactions, boolean guarded)
        implements ReentrantRedisLock, Serializable {

    @Override
    public ReentrantRedisLock joiningTransaction() {
        return new LockHandle(engine, name, true, guarded);
    }

    /** {@return the same lock, for a caller that is certain to unlock} */
    LockHandle unguarded() {
        return new LockHandle(engine, name, joiningTransactions, false);
    }

    @Override
    public void lock() {
        lock(engine.renewedLease());
    }

    @Override
    public void lock(long leaseTime, TimeUnit unit) {
        lock(explicit(leaseTime, unit));
    }

    private void lock(Lease lease) {
        try (Patience patience = Patience.uninterruptible(engine.nanoTime())) {
            engine.enter(this, patience, lease);
        } catch (InterruptedException e) {
            throw new AssertionError("An uninterruptible wait was interrupted", e);
        }
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        try (Patience patience = Patience.interruptible(engine.nanoTime())) {
            engine.enter(this, patience, engine.renewedLease());
        }
    }

    @Override
    public boolean tryLock() {
        try (Patience patience = Patience.none(engine.nanoTime())) {
            return engine.enter(this, patience, engine.renewedLease());
        } catch (InterruptedException e) {
            throw new AssertionError("An uninterruptible wait was interrupted", e);
        }
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        return tryLock(time, unit, engine.renewedLease());
    }

    @Override
    public boolean tryLock(long waitTime, long leaseTime, TimeUnit unit) throws InterruptedException {
        return tryLock(waitTime, unit, explicit(leaseTime, unit));
    }

    private boolean tryLock(long time, TimeUnit unit, Lease lease) throws InterruptedException {
        try (Patience patience = Patience.interruptible(engine.nanoTime(), duration(time, unit))) {
            return engine.enter(this, patience, lease);
        }
    }

    @Override
    public void unlock() {
        engine.exit().exit(name, joiningTransactions, guarded);
    }

    @Override
    public <T> CompletableFuture<T> unlockWhenComplete(CompletionStage<T> stage) {
        Objects.requireNonNull(stage, "stage");
        return engine.exit().exitWhenComplete(name, stage, joiningTransactions, guarded);
    }

    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException("A lock that is shared by several JVMs has no conditions");
    }

    @Override
    public boolean isLocked() {
        return holder().isPresent();
    }

    @Override
    public Optional<LockHolder> holder() {
        return engine.holder(name);
    }

    @Override
    public boolean isHeldByCurrentThread() {
        return getHoldCount() > 0;
    }

    @Override
    public int getHoldCount() {
        ActiveHold hold = engine.find(name);
        return hold != null && hold.grant().isActive() ? hold.calls() : 0;
    }

    @Override
    public Duration remainingLease() {
        ActiveHold hold = engine.find(name);
        return hold == null ? Duration.ZERO : hold.remainingLease();
    }

    @Override
    public long fencingToken() {
        ActiveHold hold = engine.find(name);
        if (hold == null) {
            throw LockErrors.notHeld(name);
        }
        if (!hold.grant().isActive()) {
            throw LockErrors.lost(hold);
        }
        return hold.fencingToken();
    }

    /** A client cannot be serialized: whoever gets the name elsewhere, has to find its own. */
    @Serial
    private Object writeReplace() throws NotSerializableException {
        return engine.container().reference(name, joiningTransactions);
    }

    @Override
    public String toString() {
        return "ReentrantRedisLock '" + name + "'";
    }

    private static Lease explicit(long leaseTime, TimeUnit unit) {
        return Lease.explicit(duration(leaseTime, unit));
    }

    private static Duration duration(long time, TimeUnit unit) {
        return Duration.ofNanos(unit.toNanos(time)); // saturates
    }

    /** Not that of records: for it, the JVM would keep the class of the engine, and our class loader, for good. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof LockHandle handle
                && handle.engine == engine
                && handle.name.equals(name)
                && handle.joiningTransactions == joiningTransactions
                && handle.guarded == guarded;
    }

    @Override
    public int hashCode() {
        return Objects.hash(System.identityHashCode(engine), name, joiningTransactions, guarded);
    }
}
