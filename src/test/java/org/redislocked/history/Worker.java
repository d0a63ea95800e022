package org.redislocked.history;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.redislocked.RedisLockUnavailableException;
import org.redislocked.RedisLocks;
import org.redislocked.ReentrantRedisLock;
import org.redislocked.history.Journal.Kind;
import org.redislocked.history.Plan.Ask;
import org.redislocked.history.Plan.Work;

/** One thread of a workload: asks for a lock, does something with it, leaves it, and again. */
final class Worker implements Runnable {
    private static final Duration LONGEST_TRY = Duration.ofMillis(800);

    private final Plan plan;
    private final long end;
    private final Journal journal;
    private final Resource resource;
    private final RedisLocks locks;
    private final Random random;
    private final String name;
    private int asks;

    Worker(Plan plan, int number, long end, Journal journal, Resource resource, RedisLocks locks) {
        this.plan = plan;
        this.end = end;
        this.journal = journal;
        this.resource = resource;
        this.locks = locks;
        this.random = new Random(31 * plan.seed() + number);
        this.name = plan.client() + "-" + number;
    }

    @Override
    public void run() {
        try {
            while (System.nanoTime() < end) {
                step();
            }
        } catch (Throwable t) {
            journal.write(Kind.WRONG, name + " ended with " + t + " at " + List.of(t.getStackTrace()));
        }
    }

    private void step() throws InterruptedException {
        var lock = locks.get(pick(plan.locks()));
        var work = pick(plan.works());
        var leaseTime = leaseTime(work);
        var ask = pick(plan.asks());
        long limit = switch (ask) {
            case TRY -> 0;
            case TRY_FOR -> random.nextLong(LONGEST_TRY.toMillis());
            default -> History.NEVER;
        };
        var id = name + "-" + ++asks;
        long asked = System.nanoTime();
        journal.write(
                Kind.ASKED, id, name, lock.name(), asked, limit == History.NEVER ? limit : MILLISECONDS.toNanos(limit));
        boolean got = false;
        try {
            got = acquire(lock, ask, limit, leaseTime);
        } catch (RedisLockUnavailableException e) {
            Thread.interrupted(); // which it may be, for as long as Redis cannot be reached
        }
        long from = System.nanoTime();
        journal.write(Kind.ANSWERED, id, from);
        if (got) {
            new Visit(plan, journal, resource, random, locks, lock, asked, from).spend(work);
        } else {
            Thread.sleep(random.nextInt(20));
        }
    }

    private @Nullable Duration leaseTime(Work work) {
        return switch (work) {
            case LEASED, OVERDUE -> plan.shortLease();
            case MIXED -> plan.longLease();
            case SHORT, NESTED, LONG -> null;
        };
    }

    private boolean acquire(ReentrantRedisLock lock, Ask ask, long limitMillis, @Nullable Duration lease)
            throws InterruptedException {
        return switch (ask) {
            case LOCK -> {
                if (lease == null) {
                    lock.lock();
                } else {
                    lock.lock(lease.toMillis(), MILLISECONDS);
                }
                yield true;
            }
            case TRY -> lease == null ? lock.tryLock() : lock.tryLock(0, lease.toMillis(), MILLISECONDS);
            case TRY_FOR ->
                lease == null
                        ? lock.tryLock(limitMillis, MILLISECONDS)
                        : lock.tryLock(limitMillis, lease.toMillis(), MILLISECONDS);
            case INTERRUPTED -> interrupted(lock, lease);
        };
    }

    private boolean interrupted(ReentrantRedisLock lock, @Nullable Duration lease) {
        boolean interruptible = random.nextBoolean();
        try (var interrupter = new Interrupter(random.nextInt(300))) {
            boolean got = true;
            boolean thrown = false;
            try {
                if (!interruptible) {
                    acquire(lock, Ask.LOCK, History.NEVER, lease);
                } else if (lease == null) {
                    lock.lockInterruptibly();
                } else {
                    got = lock.tryLock(LONGEST_TRY.toMillis(), lease.toMillis(), MILLISECONDS);
                }
            } catch (InterruptedException e) {
                got = false;
                thrown = true;
            }
            boolean sent = interrupter.stop();
            boolean flag = Thread.interrupted();
            if (thrown ? flag || !interruptible : flag != sent) {
                journal.write(
                        Kind.WRONG,
                        name + (sent ? " was" : " was not") + " interrupted, flag " + flag + ", thrown " + thrown);
            }
            return got;
        }
    }

    private <T> T pick(List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }
}
