package org.redislocked.redis;

import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.redislocked.core.LockStore.Renewal;
import org.redislocked.core.StoreException;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisNoScriptException;

/** Renews many leases in few round trips, on a connection of its own: an exhausted pool keeps no lease from renewal. */
final class RenewalConnection implements AutoCloseable {

    /**
     * Commands that are sent before their answers are read. At some 200 bytes each they fit the buffers of the socket,
     * so that sending them never blocks: sending, unlike reading, has no time-out.
     */
    private static final int BATCH = 256;

    private final Connections connections;
    private final Refusals refusals;

    /** One pass at a time. */
    private final ReentrantLock passes = new ReentrantLock();

    /** Written by a pass, ended by {@link #close()} too. */
    private volatile @Nullable OwnConnection connection;

    private volatile boolean closed;

    RenewalConnection(Connections connections, Refusals refusals) {
        this.connections = connections;
        this.refusals = refusals;
    }

    /**
     * Runs {@link Script#COUNT} for each element.
     *
     * @param arguments of each run, the key first
     * @param limit for all of them together
     * @return what became of each
     * @throws StoreException if nothing became of any, and the reason is known
     */
    List<Renewal> run(List<byte[][]> arguments, Duration limit) {
        Pass pass = new Pass(arguments, System.nanoTime() + limit.toNanos());
        boolean interrupted = Thread.interrupted();
        try {
            if (passes.tryLock(limit.toNanos(), TimeUnit.NANOSECONDS)) {
                try {
                    pass.run();
                } finally {
                    passes.unlock();
                }
            }
        } catch (InterruptedException e) {
            interrupted = true;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        return pass.outcomes();
    }

    /** Ends a running pass, too. */
    @Override
    public void close() {
        closed = true;
        drop();
    }

    private void drop() {
        OwnConnection dropped = connection;
        if (dropped != null) {
            connection = null;
            dropped.end();
        }
    }

    /** One call of {@link #run}. */
    private final class Pass {

        private final List<byte[][]> arguments;
        private final Renewal[] outcomes;
        private final long deadlineNanos;
        private @Nullable StoreException trouble;

        Pass(List<byte[][]> arguments, long deadlineNanos) {
            this.arguments = arguments;
            this.outcomes = new Renewal[arguments.size()];
            this.deadlineNanos = deadlineNanos;
            // what is not answered may have been executed, or will be yet
            Arrays.fill(outcomes, Renewal.FAILED);
        }

        List<Renewal> outcomes() {
            List<Renewal> all = List.of(outcomes);
            if (trouble != null && all.stream().allMatch(Renewal.FAILED::equals)) {
                throw trouble;
            }
            return all;
        }

        void run() {
            try {
                OwnConnection redis = connected();
                for (int from = 0; from < arguments.size(); from += BATCH) {
                    batch(redis, from, Math.min(from + BATCH, arguments.size()));
                }
            } catch (StoreException e) {
                trouble = e;
            } catch (RuntimeException e) {
                trouble = refusals.onCommand(e, "the renewal of leases");
                // answers to come would be taken for those of the next pass
                drop();
            }
        }

        private OwnConnection connected() {
            OwnConnection redis = connection;
            if (redis == null) {
                redis = connections.open(rest());
                connection = redis;
            }
            if (closed) {
                // close() may have looked before the connection was there
                redis.end();
            }
            return redis;
        }

        private void batch(OwnConnection redis, int from, int to) {
            List<Integer> unknown =
                    send(redis, IntStream.range(from, to).boxed().toList(), false);
            if (!unknown.isEmpty()) {
                // the text makes the script known, so sending it once is enough
                send(redis, unknown.subList(0, 1), true);
                send(redis, unknown.subList(1, unknown.size()), false);
            }
        }

        /** {@return those for which Redis did not know the script} */
        private List<Integer> send(OwnConnection redis, List<Integer> indexes, boolean byText) {
            for (int index : indexes) {
                byte[][] each = arguments.get(index);
                redis.send(byText ? Script.COUNT.byText(each) : Script.COUNT.bySha(each));
            }
            redis.flush();
            List<Integer> unknown = new ArrayList<>();
            for (int index : indexes) {
                try {
                    outcomes[index] = read(redis) == 1 ? Renewal.RENEWED : Renewal.NOT_OWNED;
                } catch (JedisNoScriptException e) {
                    unknown.add(index);
                } catch (JedisDataException e) {
                    if (Refusals.wantsNewConnection(e)) {
                        throw e;
                    }
                    // that of one grant: the others are answered for themselves
                    trouble = refusals.onCommand(e, new String(arguments.get(index)[0], StandardCharsets.UTF_8));
                }
            }
            return unknown;
        }

        private long read(OwnConnection redis) {
            redis.setSoTimeout((int) rest().toMillis());
            Object reply = redis.read();
            if (reply == OwnConnection.SILENCE) {
                throw new JedisConnectionException(new SocketTimeoutException("No answer in time"));
            }
            return (Long) reply;
        }

        /** {@return the time that is left, at least 1 ms: 0 would mean no limit} */
        private Duration rest() {
            return Duration.ofMillis(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime())));
        }
    }
}
