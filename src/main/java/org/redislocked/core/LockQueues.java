package org.redislocked.core;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The queues of the locks that are in use: a name is in memory only while a thread of this client waits for its lock,
 * holds it or releases it.
 */
final class LockQueues {

    /** A queue, and by how many acquiring threads and grants it is used. */
    private record Usage(LockQueue queue, int users) {}

    private final Map<String, Usage> usages = new ConcurrentHashMap<>();

    private final ReentrantLock mutex = new ReentrantLock();
    private final Condition empty = mutex.newCondition();
    private volatile boolean closed;

    /** {@return the queue of the lock, used by one more} */
    LockQueue enter(String lockName) {
        Usage usage = usages.compute(
                lockName,
                (name, used) ->
                        used == null ? new Usage(new LockQueue(name), 1) : new Usage(used.queue, used.users + 1));
        if (closed) { // read after the queue was added, as close() sets it before it looks for queues
            leave(usage.queue);
            throw LockErrors.closed(lockName);
        }
        return usage.queue;
    }

    void leave(LockQueue queue) {
        usages.computeIfPresent(
                queue.lockName(), (name, used) -> used.users == 1 ? null : new Usage(queue, used.users - 1));
        if (closed && usages.isEmpty()) {
            mutex.lock();
            try {
                empty.signalAll();
            } finally {
                mutex.unlock();
            }
        }
    }

    int size() {
        return usages.size();
    }

    /** Sends all waiters away, and those who come. */
    void close() {
        closed = true;
        usages.values().forEach(usage -> usage.queue.close());
    }

    /** Waits until nobody waits, holds or releases any more, or the time is over. To be called after close(). */
    void awaitEmpty(Duration limit) throws InterruptedException {
        long nanos = limit.toNanos();
        mutex.lock();
        try {
            while (!usages.isEmpty() && nanos > 0) {
                nanos = empty.awaitNanos(nanos);
            }
        } finally {
            mutex.unlock();
        }
    }
}
