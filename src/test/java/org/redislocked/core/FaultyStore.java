package org.redislocked.core;

import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.redislocked.LockHolder;

/**
 * A store that does what a test says before or after it executes an operation: block, fail, or let somebody else go
 * first. Each instruction counts for one call.
 */
final class FaultyStore implements LockStore {

    enum Operation {
        ACQUIRE,
        COUNT,
        RELEASE,
        RENEW,
        SUBSCRIBE,
        TIME
    }

    /** What was executed, as {@code ACQUIRE name grant}. */
    final List<String> executed = new CopyOnWriteArrayList<>();

    /** How many are open. */
    final AtomicInteger subscriptions = new AtomicInteger();

    private final LockStore store;
    private volatile Consumer<Duration> renewalLimits = limit -> {};
    private final Map<Operation, Queue<Runnable>> before = new EnumMap<>(Operation.class);
    private final Map<Operation, Queue<Runnable>> after = new EnumMap<>(Operation.class);

    FaultyStore(LockStore store) {
        this.store = store;
        for (Operation operation : Operation.values()) {
            before.put(operation, new ConcurrentLinkedQueue<>());
            after.put(operation, new ConcurrentLinkedQueue<>());
        }
    }

    /** The next such operation does this before it is executed; if it throws, the operation is not executed. */
    FaultyStore before(Operation operation, Runnable action) {
        before.get(operation).add(action);
        return this;
    }

    /** The next such operation does this between its execution and its answer; if it throws, there is no answer. */
    FaultyStore after(Operation operation, Runnable action) {
        after.get(operation).add(action);
        return this;
    }

    FaultyStore unreachable(Operation operation, int times) {
        for (int i = 0; i < times; i++) {
            before(operation, () -> {
                throw new StoreException(StoreException.Kind.UNREACHABLE, "Redis is down.", null);
            });
        }
        return this;
    }

    FaultyStore answerLost(Operation operation) {
        return after(operation, () -> {
            throw new StoreException(StoreException.Kind.UNKNOWN, "The connection broke.", null);
        });
    }

    /** Tells how long each renewal may take. */
    void renewalLimits(Consumer<Duration> listener) {
        renewalLimits = listener;
    }

    int instructionsLeft(Operation operation) {
        return before.get(operation).size();
    }

    /** {@return how often it was executed} */
    long count(Operation operation) {
        return executed.stream()
                .filter(line -> line.startsWith(operation.name() + ' '))
                .count();
    }

    List<String> grantIds(Operation operation) {
        return executed.stream()
                .filter(line -> line.startsWith(operation.name() + ' '))
                .map(line -> line.substring(line.lastIndexOf(' ') + 1))
                .toList();
    }

    private <T> T run(Operation operation, String detail, Supplier<T> body) {
        take(before, operation);
        T result = body.get();
        executed.add(operation + " " + detail);
        take(after, operation);
        return result;
    }

    private static void take(Map<Operation, Queue<Runnable>> actions, Operation operation) {
        Runnable action = actions.get(operation).poll();
        if (action != null) {
            action.run();
        }
    }

    @Override
    public Acquisition acquire(String lockName, String grantId, Duration lease, long usedToken, long notAfterMicros) {
        return run(
                Operation.ACQUIRE,
                lockName + " " + grantId,
                () -> store.acquire(lockName, grantId, lease, usedToken, notAfterMicros));
    }

    @Override
    public boolean count(String lockName, String grantId, int holdCount, Duration lease) {
        return run(
                Operation.COUNT,
                lockName + " " + grantId + " " + holdCount,
                () -> store.count(lockName, grantId, holdCount, lease));
    }

    @Override
    public boolean release(String lockName, String grantId) {
        return run(Operation.RELEASE, lockName + " " + grantId, () -> store.release(lockName, grantId));
    }

    @Override
    public List<Renewal> renew(List<GrantKey> grants, Duration lease, Duration limit) {
        renewalLimits.accept(limit);
        return run(Operation.RENEW, grants.toString(), () -> store.renew(grants, lease, limit));
    }

    @Override
    public Optional<LockHolder> holder(String lockName) {
        return store.holder(lockName);
    }

    @Override
    public long timeMicros() {
        return run(Operation.TIME, "", store::timeMicros);
    }

    @Override
    public Subscription subscribe(String lockName, Runnable wakeUp) {
        return run(Operation.SUBSCRIBE, lockName, () -> {
            Subscription subscription = store.subscribe(lockName, wakeUp);
            subscriptions.incrementAndGet();
            return new Subscription() {
                @Override
                public boolean isActive() {
                    return subscription.isActive();
                }

                @Override
                public void close() {
                    subscriptions.decrementAndGet();
                    subscription.close();
                }
            };
        });
    }

    @Override
    public void close() {
        store.close();
    }
}
