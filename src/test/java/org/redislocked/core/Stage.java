package org.redislocked.core;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Delayed;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.redislocked.LockHolder;
import org.redislocked.ReentrantRedisLock;

/**
 * An engine whose store, clock and schedulers do nothing by themselves, for scenarios whose threads a model checker
 * interleaves.
 *
 * <p>What is not under test has as few steps as possible, since each access to shared memory is a place where the
 * checker may switch threads.
 */
final class Stage implements LongSupplier {

    static final String NAME = "order";

    /** They are made outside of the scenarios, since the checker cannot look into a regular expression. */
    static final LockSettings AT_ONCE = settings(Duration.ZERO);

    static final LockSettings PATIENT = settings(Duration.ofSeconds(5));

    final Store store = new Store();
    final HandScheduler platform = new HandScheduler();
    final HandScheduler background = new HandScheduler();

    /** Whose tasks are the losses to be told. */
    final HandScheduler news = new HandScheduler();

    final LockEngine engine;
    final ReentrantRedisLock lock;

    /** How many losses were told; those that are yet to be told are with {@link #news}. */
    final AtomicInteger told = new AtomicInteger();

    /** How many threads are between lock and unlock, and how many ever were. */
    final AtomicInteger inside = new AtomicInteger();

    final AtomicInteger entries = new AtomicInteger();

    private final List<Actor> actors = new CopyOnWriteArrayList<>();
    private volatile long now;

    Stage() {
        this(AT_ONCE);
    }

    Stage(LockSettings settings) {
        LockEngine.Threads threads = new LockEngine.Threads(new HandScheduler(), background, news);
        engine = new LockEngine(
                store, settings, () -> platform, loss -> told.incrementAndGet(), Container.NONE, threads, this);
        engine.beginRenewal();
        lock = engine.get(NAME);
    }

    private static LockSettings settings(Duration shutdownTimeout) {
        return new LockSettings(
                "test",
                EngineTest.LEASE,
                Duration.ofSeconds(1),
                Duration.ofSeconds(1),
                Duration.ofSeconds(2),
                Duration.ofSeconds(10),
                shutdownTimeout,
                Duration.ZERO,
                Duration.ZERO);
    }

    @Override
    public long getAsLong() {
        return now;
    }

    /** Moves the clock, which ends the sleeps of all actors: the checker's parks have no time-outs of their own. */
    void pass(Duration time) {
        now = getAsLong() + time.toNanos(); // by one thread at a time
        actors.forEach(actor -> LockSupport.unpark(actor.thread));
    }

    /** What the owner does under the lock. */
    void work() {
        check(inside.incrementAndGet() == 1, "two threads have the lock");
        entries.incrementAndGet();
        inside.decrementAndGet();
    }

    /** Acquires, works, releases. */
    void lockAndUnlock() {
        lock.lock();
        work();
        lock.unlock();
    }

    Actor actor(Actor.Body body) {
        Actor actor = new Actor(body);
        actors.add(actor);
        return actor;
    }

    Actor start(Actor.Body body) {
        Actor actor = actor(body);
        actor.start();
        return actor;
    }

    /** Waits for all actors, and lets what is left to the background be done. */
    void end() {
        actorsEnd();
        quiet();
    }

    void actorsEnd() {
        actors.forEach(Actor::await);
    }

    /** Nobody waits or holds any more: nothing may be left, neither here nor in the store. */
    void quiet() {
        background.runAll();
        pass(Duration.ofSeconds(5)); // then no command can be late any more
        background.runAll();
        check(store.owner() == null, "left in the store: " + store.owner());
        check(store.subscriptions.get() == 0, "a subscription is left");
        check(engine.namesInMemory() == 0, "the name is left in memory");
        check(engine.threadsInMemory() == 0, "a hold is left in the book");
    }

    /** {@return how many losses were told by now} */
    int losses() {
        news.runAll();
        return told.get();
    }

    static void check(boolean condition, String otherwise) {
        if (!condition) {
            throw new AssertionError(otherwise);
        }
    }

    /** A thread of a scenario. */
    static final class Actor {

        interface Body {
            void run() throws Exception;
        }

        final Thread thread;
        private final Body body;
        private volatile Throwable failure;

        private Actor(Body body) {
            this.body = body;
            thread = new Thread(this::run, "actor");
        }

        void start() {
            thread.start();
        }

        void interrupt() {
            thread.interrupt();
        }

        private void run() {
            try {
                body.run();
            } catch (Throwable t) {
                failure = t;
            }
        }

        void await() {
            try {
                thread.join();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            if (failure != null) {
                throw new AssertionError(failure);
            }
        }
    }

    /** One lock, whose operations are one atomic step each. */
    final class Store implements LockStore {

        private record Key(String grantId, long endNanos, long token) {}

        /** What an attempt meets on its way. */
        enum Fate {
            /** It is executed, and its answer is lost. */
            ANSWER_LOST,
            /** It is not executed yet: {@link #executeLate} does that. */
            LATE
        }

        final AtomicInteger subscriptions = new AtomicInteger();

        /** How many attempts found the lock with somebody else. */
        final AtomicInteger contended = new AtomicInteger();

        private final AtomicReference<Key> key = new AtomicReference<>();
        private final AtomicReference<Runnable> late = new AtomicReference<>();
        private final List<Runnable> interests = new CopyOnWriteArrayList<>();

        // the attempts of this thread meet this fate
        private volatile Thread victim;
        private volatile Fate fate;

        void fate(Thread ofThread, Fate what) {
            fate = what;
            victim = ofThread;
        }

        /** {@return the grant that has the lock, or null} */
        String owner() {
            Key current = live(key.get());
            return current == null ? null : current.grantId;
        }

        /** Somebody removes the key of this grant by hand. */
        void evict(String grantId) {
            Key current = key.get();
            if (current != null && current.grantId.equals(grantId)) {
                key.compareAndSet(current, null);
            }
        }

        /** The network delivers an attempt whose sender no longer waits for the answer. */
        void executeLate() {
            Runnable attempt = late.getAndSet(null);
            if (attempt != null) {
                attempt.run();
            }
        }

        private Key live(Key current) {
            return current == null || Nanos.reached(current.endNanos, now) ? null : current;
        }

        @Override
        public Acquisition acquire(
                String lockName, String grantId, Duration lease, long usedToken, long notAfterMicros) {
            if (Thread.currentThread() != victim) {
                return execute(grantId, lease, usedToken, notAfterMicros);
            }
            if (fate == Fate.LATE) {
                late.set(() -> execute(grantId, lease, usedToken, notAfterMicros));
            } else {
                execute(grantId, lease, usedToken, notAfterMicros);
            }
            throw new StoreException(StoreException.Kind.UNKNOWN, "No answer.", null);
        }

        private Acquisition execute(String grantId, Duration lease, long usedToken, long notAfterMicros) {
            while (true) {
                Key before = key.get();
                Key current = live(before);
                if (current != null && !current.grantId.equals(grantId)) {
                    contended.incrementAndGet();
                    return new Contended(TimeUnit.NANOSECONDS.toMillis(current.endNanos - now));
                }
                if (notAfterMicros > 0 && timeMicros() > notAfterMicros) {
                    return new Expired(timeMicros());
                }
                long token = Math.max(usedToken, before == null ? 0 : before.token) + 1;
                if (key.compareAndSet(before, new Key(grantId, now + lease.toNanos(), token))) {
                    return new Granted(token, timeMicros());
                }
            }
        }

        @Override
        public boolean count(String lockName, String grantId, int holdCount, Duration lease) {
            while (true) {
                Key before = key.get();
                Key current = live(before);
                if (current == null || !current.grantId.equals(grantId)) {
                    return false;
                }
                long end = Nanos.later(current.endNanos, now + lease.toNanos());
                if (key.compareAndSet(before, new Key(grantId, end, current.token))) {
                    return true;
                }
            }
        }

        @Override
        public boolean release(String lockName, String grantId) {
            Key before = key.get();
            Key current = live(before);
            while (current != null && current.grantId.equals(grantId)) {
                if (key.compareAndSet(before, null)) {
                    interests.forEach(Runnable::run);
                    return true;
                }
                before = key.get();
                current = live(before);
            }
            return false;
        }

        @Override
        public List<Renewal> renew(List<GrantKey> grants, Duration lease, Duration limit) {
            return grants.stream()
                    .map(grant ->
                            count(grant.lockName(), grant.grantId(), 1, lease) ? Renewal.RENEWED : Renewal.NOT_OWNED)
                    .toList();
        }

        @Override
        public Subscription subscribe(String lockName, Runnable wakeUp) {
            subscriptions.incrementAndGet();
            interests.add(wakeUp);
            wakeUp.run();
            return new Subscription() {
                @Override
                public boolean isActive() {
                    return true;
                }

                @Override
                public void close() {
                    interests.remove(wakeUp);
                    subscriptions.decrementAndGet();
                }
            };
        }

        @Override
        public Optional<LockHolder> holder(String lockName) {
            throw new UnsupportedOperationException("not used");
        }

        @Override
        public long timeMicros() {
            return 1 + TimeUnit.NANOSECONDS.toMicros(now);
        }

        @Override
        public void close() {}
    }

    /** Keeps its tasks for whoever runs them. */
    static final class HandScheduler extends AbstractExecutorService implements ScheduledExecutorService {

        private record Task(Runnable body, Task earlier) {}

        private final AtomicReference<Task> tasks = new AtomicReference<>();
        private final AtomicReference<Task> delayed = new AtomicReference<>();
        private volatile Runnable periodic;
        private volatile boolean shutdown;

        /** Runs what was to be run at once. */
        void runReady() {
            run(tasks.getAndSet(null));
        }

        /** Runs everything, and what comes of it. */
        void runAll() {
            runReady();
            run(delayed.getAndSet(null));
            runReady();
        }

        /** Runs the series once. */
        void tick() {
            periodic.run();
        }

        private void run(Task last) {
            if (last != null) {
                run(last.earlier);
                if (!shutdown) {
                    last.body.run();
                }
            }
        }

        private static void add(AtomicReference<Task> to, Runnable body) {
            Task earlier;
            do {
                earlier = to.get();
            } while (!to.compareAndSet(earlier, new Task(body, earlier)));
        }

        @Override
        public void execute(Runnable command) {
            add(tasks, command);
        }

        @Override
        public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
            add(delayed, command);
            return new Never();
        }

        @Override
        public ScheduledFuture<?> scheduleAtFixedRate(Runnable command, long initial, long period, TimeUnit unit) {
            periodic = command;
            return new Never();
        }

        @Override
        public <V> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
            throw new UnsupportedOperationException("not used");
        }

        @Override
        public ScheduledFuture<?> scheduleWithFixedDelay(Runnable command, long initial, long delay, TimeUnit unit) {
            throw new UnsupportedOperationException("not used");
        }

        @Override
        public void shutdown() {
            shutdown = true;
        }

        @Override
        public List<Runnable> shutdownNow() {
            shutdown = true;
            return List.of();
        }

        @Override
        public boolean isShutdown() {
            return shutdown;
        }

        @Override
        public boolean isTerminated() {
            return shutdown;
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
            return shutdown;
        }
    }

    /** Of a task that is not run by itself. */
    private static final class Never implements ScheduledFuture<Object> {

        @Override
        public long getDelay(TimeUnit unit) {
            return 0;
        }

        @Override
        public int compareTo(Delayed other) {
            return 0;
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            return true;
        }

        @Override
        public boolean isCancelled() {
            return false;
        }

        @Override
        public boolean isDone() {
            return false;
        }

        @Override
        public Object get() {
            throw new UnsupportedOperationException("not used");
        }

        @Override
        public Object get(long timeout, TimeUnit unit) {
            throw new UnsupportedOperationException("not used");
        }
    }
}
