package org.redislocked.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicBoolean;
import org.redislocked.core.StoreException;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * Warns, once a client, of a Redis that removes keys to make room: every lock has a time to live, and so is among the
 * first to go, and a lock that is evicted is one that two can have.
 */
final class EvictionPolicy {

    private static final System.Logger LOG = System.getLogger(EvictionPolicy.class.getPackageName());

    private static final String FIELD = "maxmemory_policy:";
    private static final String NO_EVICTION = "noeviction";

    private final AtomicBoolean checked = new AtomicBoolean();

    /** Asks, unless Redis has answered before. That it is not told, to this user or to anybody, is no reason to complain. */
    void check(ScriptedRedis redis) {
        if (checked.get()) {
            return;
        }
        try {
            String info = new String((byte[]) redis.memoryInfo(), UTF_8);
            if (checked.compareAndSet(false, true)) {
                info.lines()
                        .filter(line -> line.startsWith(FIELD))
                        .map(line -> line.substring(FIELD.length()).strip())
                        .filter(policy -> !policy.equals(NO_EVICTION))
                        .forEach(EvictionPolicy::warn);
            }
        } catch (StoreException e) {
            boolean answered = e.kind() == StoreException.Kind.REFUSED || e.getCause() instanceof JedisDataException;
            if (!answered || e.kind() == StoreException.Kind.UNREACHABLE) {
                throw e; // as of any other command
            }
            checked.set(true);
            LOG.log(Level.DEBUG, "The eviction policy of Redis is not known: {0}", e.getMessage());
        }
    }

    private static void warn(String policy) {
        LOG.log(
                Level.WARNING,
                "Redis has the maxmemory-policy {0}: when its memory is used up, it may remove a lock that is held, and"
                        + " give it to somebody else. Set maxmemory-policy to noeviction, or use a Redis for locks only.",
                policy);
    }
}
