package org.redislocked.redis;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.redislocked.core.LockStore.Renewal;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisNoScriptException;

/**
 * Renews many leases in few round trips, on a connection of its own: an exhausted pool keeps no lease from renewal.
 */
final class Renewals implements AutoCloseable {

    /**
     * Commands that are sent before their answers are read. At some 200 bytes each they fit the buffers of the socket,
     * so that sending them never blocks: sending, unlike reading, has no time-out.
     */
    private static final int BATCH = 256;

    private static final System.Logger LOG = System.getLogger(Renewals.class.getPackageName());

    private final Connections connections;

    /** One pass at a time. */
    private final ReentrantLock pass = new ReentrantLock();

    /** Written while {@link #pass} is held, read by {@link #close()} without it. */
    private volatile @Nullable OwnConnection connection;

    private volatile boolean closed;

    Renewals(Connections connections) {
        this.connections = connections;
    }

    /**
     * Runs the script {@link Script#COUNT} once for each of the arguments.
     *
     * @param limit for all of them together
     * @return what became of each
     */
    List<Renewal> run(List<byte[][]> arguments, Duration limit) {
        Renewal[] outcomes = new Renewal[arguments.size()];
        Arrays.fill(outcomes, Renewal.FAILED);
        boolean interrupted = Thread.interrupted();
        long deadline = System.nanoTime() + limit.toNanos();
        try {
            if (pass.tryLock(limit.toNanos(), TimeUnit.NANOSECONDS)) {
                try {
                    new Pass(arguments, outcomes, deadline).run();
                } finally {
                    pass.unlock();
                }
            }
        } catch (InterruptedException e) {
            interrupted = true;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        return List.of(outcomes);
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

    private OwnConnection connected(Duration limit) {
        OwnConnection existing = connection;
        if (existing == null) {
            existing = connections.open(limit);
            connection = existing;
        }
        if (closed) {
            // close() may have looked before the connection was there
            drop();
        }
        return existing;
    }

    /** One call of {@link #run}. */
    private final class Pass {

        private final List<byte[][]> arguments;
        private final Renewal[] outcomes;
        private final long deadline;

        Pass(List<byte[][]> arguments, Renewal[] outcomes, long deadline) {
            this.arguments = arguments;
            this.outcomes = outcomes;
            this.deadline = deadline;
        }

        /** Leaves FAILED where no answer came: such a renewal may have been executed, or may be yet. */
        void run() {
            try {
                for (int from = 0; from < arguments.size(); from += BATCH) {
                    batch(from, Math.min(from + BATCH, arguments.size()));
                }
            } catch (RuntimeException e) {
                // answers to come would be taken for those of the next pass
                drop();
                LOG.log(Level.DEBUG, "A renewal pass ended early", e);
            }
        }

        private void batch(int from, int to) {
            List<Integer> all = new ArrayList<>(to - from);
            for (int i = from; i < to; i++) {
                all.add(i);
            }
            List<Integer> unknown = send(all, false);
            if (!unknown.isEmpty()) {
                // the text makes the script known, so one is enough
                send(unknown.subList(0, 1), true);
                send(unknown.subList(1, unknown.size()), false);
            }
        }

        /** {@return those for which Redis did not know the script} */
        private List<Integer> send(List<Integer> indexes, boolean byText) {
            OwnConnection redis = connected(rest());
            for (int i : indexes) {
                byte[][] each = arguments.get(i);
                CommandArguments command = byText ? Script.COUNT.byText(each) : Script.COUNT.bySha(each);
                redis.send(command);
            }
            redis.flush();
            List<Integer> unknown = new ArrayList<>();
            for (int i : indexes) {
                redis.setSoTimeout((int) rest().toMillis());
                try {
                    Object reply = redis.read();
                    if (reply == OwnConnection.SILENCE) {
                        throw new JedisConnectionException("No answer in time");
                    }
                    outcomes[i] = (Long) reply == 1 ? Renewal.RENEWED : Renewal.NOT_OWNED;
                } catch (JedisNoScriptException e) {
                    unknown.add(i);
                } catch (JedisDataException e) {
                    LOG.log(Level.DEBUG, "Redis refused to renew a lease", e);
                }
            }
            return unknown;
        }

        /** {@return the time that is left, at least 1 ms: 0 would mean no limit} */
        private Duration rest() {
            Duration rest = Duration.ofNanos(deadline - System.nanoTime());
            return rest.toMillis() < 1 ? Duration.ofMillis(1) : rest;
        }
    }
}
