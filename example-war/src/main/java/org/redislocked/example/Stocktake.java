package org.redislocked.example;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Duration;
import org.redislocked.LockName;
import org.redislocked.ReentrantRedisLock;

/** Counts the shop's shelves while nobody else does: an injected lock, entered once for each shelf within a shelf. */
@ApplicationScoped
public class Stocktake {

    @Inject
    @LockName(Locks.STOCKTAKE)
    ReentrantRedisLock lock;

    /**
     * Enters the lock {@code depth} times, and stays this long at each depth on the way out.
     *
     * @return how often this thread held the lock at the deepest place
     */
    public int count(int depth, Duration atEachDepth) {
        lock.lock();
        try {
            int deepest = depth > 1 ? count(depth - 1, atEachDepth) : lock.getHoldCount();
            Work.take(atEachDepth);
            return deepest;
        } finally {
            lock.unlock();
        }
    }
}
