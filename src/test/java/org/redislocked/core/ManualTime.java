package org.redislocked.core;

import java.time.Duration;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** A clock that stands still until a test moves it, and schedulers that run what is due then, in order. */
final class ManualTime implements LongSupplier {

    /** Near its overflow, so that comparing readings by size instead of difference fails. */
    private final AtomicLong now =
            new AtomicLong(Long.MAX_VALUE - Duration.ofSeconds(20).toNanos());

    private final PriorityQueue<Task<?>> tasks = new PriorityQueue<>();
    private long sequence;

    @Override
    public long getAsLong() {
        return now.get();
    }

    /** Moves the clock without running anything, as when all threads were stopped. */
    void jump(Duration by) {
        now.addAndGet(by.toNanos());
    }

    /** Moves the clock step by step, running what becomes due. */
    void advance(Duration by) {
        long end = now.get() + by.toNanos();
        Task<?> task;
        while ((task = nextUntil(end)) != null) {
            moveTo(task.atNanos);
            task.run();
        }
        moveTo(end);
    }

    /** Never back: what was run may have jumped. */
    private void moveTo(long nanos) {
        now.accumulateAndGet(nanos, Nanos::later);
    }

    /** Runs what is due now. */
    void runDue() {
        advance(Duration.ZERO);
    }

    private synchronized Task<?> nextUntil(long end) {
        Task<?> first = tasks.peek();
        return first != null && first.atNanos - end <= 0 ? tasks.poll() : null;
    }

    private synchronized <T extends Task<?>> T add(T task) {
        tasks.add(task);
        return task;
    }

    private synchronized void remove(Task<?> task) {
        tasks.remove(task);
    }

    private synchronized long nextSequence() {
        return sequence++;
    }

    Scheduler scheduler() {
        return new Scheduler();
    }

    private final class Task<T> extends FutureTask<T> implements RunnableScheduledFuture<T> {
        private final Scheduler scheduler;
        private final long period;
        private final long order = nextSequence();
        private long atNanos;

        Task(Scheduler scheduler, Callable<T> body, long delay, long period) {
            super(body);
            this.scheduler = scheduler;
            this.atNanos = now.get() + Math.max(0, delay);
            this.period = period;
        }

        @Override
        public void run() {
            if (scheduler.shutdown) {
                return;
            }
            if (period == 0) {
                super.run();
                return;
            }
            // As with many managed schedulers, one failure would end the series.
            boolean goesOn = scheduler.skipping || runAndReset();
            if (goesOn) {
                atNanos += period;
                var unused = add(this);
            }
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            remove(this);
            return super.cancel(mayInterruptIfRunning);
        }

        @Override
        public boolean isPeriodic() {
            return period != 0;
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(atNanos - now.get(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            Task<?> that = (Task<?>) other;
            int byTime = Long.signum(atNanos - that.atNanos);
            return byTime != 0 ? byTime : Long.compare(order, that.order);
        }
    }

    /** Runs its tasks on the thread that moves the clock. */
    final class Scheduler extends AbstractExecutorService implements ScheduledExecutorService {

        /** Whether it silently leaves runs out, as WildFly does while it is suspended. */
        volatile boolean skipping;

        private volatile boolean shutdown;

        @Override
        public void execute(Runnable command) {
            var unused = schedule(command, 0, TimeUnit.NANOSECONDS);
        }

        @Override
        public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
            return schedule(
                    () -> {
                        command.run();
                        return null;
                    },
                    delay,
                    unit);
        }

        @Override
        public <V> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
            return add(new Task<>(this, callable, unit.toNanos(delay), 0));
        }

        @Override
        public ScheduledFuture<?> scheduleAtFixedRate(Runnable command, long initial, long period, TimeUnit unit) {
            if (shutdown) {
                throw new RejectedExecutionException("shut down");
            }
            return add(new Task<>(
                    this,
                    () -> {
                        command.run();
                        return null;
                    },
                    unit.toNanos(initial),
                    unit.toNanos(period)));
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
}
