package org.redislocked.history;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.time.Duration;
import java.util.Random;
import org.redislocked.Hold;
import org.redislocked.RedisLockLostException;
import org.redislocked.RedisLockUnavailableException;
import org.redislocked.RedisLocks;
import org.redislocked.ReentrantRedisLock;
import org.redislocked.history.Journal.Kind;
import org.redislocked.history.Plan.Work;

/**
 * What a worker does while it has a lock, and what it claims.
 *
 * <p>It claims no more than it was promised, so that an honest run raises no false alarm: that the lock is held at a
 * time read <em>before</em> the library confirmed that; that it is held for the remaining lease, counted from before
 * asking for it; and, if unlocking tells of no loss, that it was held until unlocking was called.
 */
final class Visit {
    private static final long SLICE_MILLIS = 30;
    private static final int DEEPEST = 4;

    private final Plan plan;
    private final Journal journal;
    private final Resource resource;
    private final Random random;
    private final ReentrantRedisLock lock;
    private final long asked;
    private final long from;
    private final Hold hold;
    private final boolean known;
    private int entries = 1;
    private boolean lost;

    Visit(
            Plan plan,
            Journal journal,
            Resource resource,
            Random random,
            RedisLocks locks,
            ReentrantRedisLock lock,
            long asked,
            long from) {
        this.plan = plan;
        this.journal = journal;
        this.resource = resource;
        this.random = random;
        this.lock = lock;
        this.asked = asked;
        this.from = from;
        var current = locks.current();
        known = current.isPresent();
        hold = current.orElse(null); // lost in the meantime: then nothing is claimed
    }

    void spend(Work work) throws InterruptedException {
        if (known) {
            journal.write(Kind.HELD, hold.id(), lock.name(), hold.fencingToken(), asked, from);
            claim();
            write();
        }
        try {
            switch (work) {
                case SHORT -> pause(random.nextInt(10));
                case NESTED -> nest();
                case LONG -> pause(plan.lease().toMillis() + random.nextInt(800));
                case LEASED -> pause(plan.shortLease().toMillis() * 4 / 5);
                case OVERDUE -> pause(plan.shortLease().toMillis() * 2);
                case MIXED -> {
                    pause(50); // for the lease to be seen before it might be shortened
                    enter(null);
                    pause(random.nextInt(50));
                    exit();
                    pause(plan.longLease().toMillis() * 4 / 5);
                }
            }
        } finally {
            while (entries > 1) {
                exit();
            }
            if (known) {
                claim();
                write();
            }
            leave();
        }
    }

    private void nest() throws InterruptedException {
        for (int step = random.nextInt(6); step >= 0; step--) {
            if (entries < DEEPEST && (entries == 1 || random.nextBoolean())) {
                enter(random.nextInt(4) == 0 ? plan.shortLease() : null);
            } else {
                exit();
            }
            pause(random.nextInt(10));
        }
    }

    private void enter(Duration lease) {
        if (known) {
            journal.write(Kind.ENTERED, hold.id(), entries + 1);
        }
        try {
            if (lease == null) {
                lock.lock();
            } else {
                lock.lock(lease.toMillis(), MILLISECONDS);
            }
            entries++;
        } catch (RedisLockLostException e) {
            lost = true;
        } catch (RedisLockUnavailableException e) {
            return; // it was not entered again, and goes on
        }
    }

    private void exit() {
        if (entries == 1) {
            return;
        }
        entries--;
        try {
            lock.unlock();
        } catch (RedisLockLostException e) {
            lost = true;
        }
    }

    private void leave() {
        if (known) {
            journal.write(Kind.LEAVING, hold.id(), System.nanoTime());
        }
        boolean kept = true;
        try {
            lock.unlock();
        } catch (RedisLockLostException e) {
            kept = false;
        }
        if (known) {
            journal.write(Kind.LEFT, hold.id(), System.nanoTime(), kept ? History.How.RELEASED : History.How.LOST);
            if (kept && lost) {
                journal.write(Kind.WRONG, hold.id() + " was lost, but released as if it were not");
            }
        }
    }

    private void pause(long millis) throws InterruptedException {
        long until = System.nanoTime() + MILLISECONDS.toNanos(millis);
        for (long rest = millis; rest > 0; rest = (until - System.nanoTime()) / 1_000_000) {
            Thread.sleep(Math.min(rest, SLICE_MILLIS));
            if (known) {
                claim();
            }
        }
    }

    private void claim() {
        long now = System.nanoTime();
        long promised = now + hold.remainingLease().toNanos();
        if (promised > now || lock.isHeldByCurrentThread()) {
            journal.write(Kind.PROMISED, hold.id(), promised);
        }
    }

    private void write() {
        if (!resource.write(lock.name(), hold.id(), hold.fencingToken())) {
            journal.write(Kind.REFUSED, hold.id(), hold.fencingToken(), System.nanoTime());
        }
    }
}
