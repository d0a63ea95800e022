package org.redislocked.core;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.redislocked.LockHolder;
import org.redislocked.ReentrantRedisLock;

/** A name at its engine: the handle that applications get. Equal if both are. */
record LockHandle(LockEngine engine, String name) implements ReentrantRedisLock {

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
            engine.enter(name, patience, lease);
        } catch (InterruptedException e) {
            throw new AssertionError("An uninterruptible wait was interrupted", e);
        }
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        try (Patience patience = Patience.interruptible(engine.nanoTime())) {
            engine.enter(name, patience, engine.renewedLease());
        }
    }

    @Override
    public boolean tryLock() {
        try (Patience patience = Patience.none(engine.nanoTime())) {
            return engine.enter(name, patience, engine.renewedLease());
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
            return engine.enter(name, patience, lease);
        }
    }

    @Override
    public void unlock() {
        engine.exit(name);
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
        return hold != null && hold.grant().isActive() ? hold.count() : 0;
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
}
