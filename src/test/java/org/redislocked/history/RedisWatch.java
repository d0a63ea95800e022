package org.redislocked.history;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.redislocked.history.History.Entry;
import org.redislocked.history.History.Snapshot;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.exceptions.JedisException;

/** Looks again and again at what Redis holds, on a way of its own without faults. */
final class RedisWatch implements AutoCloseable {
    private static final String LOOK = """
            local found = {}
            for _, key in ipairs(redis.call('KEYS', ARGV[1] .. '*')) do
              if redis.call('TYPE', key).ok == 'hash' then
                local fields = redis.call('HGETALL', key)
                for i = 1, #fields, 2 do
                  found[#found + 1] = {key, fields[i], fields[i + 1], redis.call('PTTL', key)}
                end
              end
            end
            return found
            """;

    private static final Duration PAUSE = Duration.ofMillis(15);

    private final RedisClient redis;
    private final List<Snapshot> snapshots = new ArrayList<>(); // guarded by itself
    private final Thread thread = new Thread(this::watch, "redis-watch");
    private volatile boolean closed;

    RedisWatch(URI uri) {
        redis = Resource.connect(uri);
        thread.setDaemon(true);
        thread.start();
    }

    List<Snapshot> snapshots() {
        synchronized (snapshots) {
            return List.copyOf(snapshots);
        }
    }

    private void watch() {
        try {
            while (!closed) {
                try {
                    var snapshot = look();
                    synchronized (snapshots) {
                        snapshots.add(snapshot);
                    }
                } catch (JedisException e) {
                    // it was restarted, or our connection was killed
                }
                Thread.sleep(PAUSE.toMillis());
            }
        } catch (InterruptedException e) {
            // closed
        }
    }

    /** {@return what Redis holds at this moment} */
    Snapshot look() {
        long from = System.nanoTime();
        var found = (List<?>) redis.eval(LOOK, List.of(), List.of(Plan.PREFIX));
        return new Snapshot(
                from,
                System.nanoTime(),
                found.stream().map(List.class::cast).map(RedisWatch::entry).toList());
    }

    private static Entry entry(List<?> part) {
        var lock = part.get(0).toString().substring(Plan.PREFIX.length());
        return new Entry(
                lock, part.get(1).toString(), Integer.parseInt(part.get(2).toString()), (Long) part.get(3));
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        try {
            thread.join(5_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        redis.close();
    }
}
