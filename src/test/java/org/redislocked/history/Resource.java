package org.redislocked.history;

import java.net.URI;
import java.util.List;
import org.redislocked.history.History.Write;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisClient;

/**
 * What the locks protect: a faultless storage that accepts a write only if no higher fencing token has been seen, and
 * keeps a record of all that were tried. It is another Redis.
 */
final class Resource implements AutoCloseable {
    private static final String WRITE = """
            local accepted = tonumber(ARGV[1]) >= tonumber(redis.call('GET', KEYS[1]) or '0')
            if accepted then redis.call('SET', KEYS[1], ARGV[1]) end
            redis.call('RPUSH', 'writes', KEYS[1] .. ' ' .. ARGV[2] .. ' ' .. ARGV[1] .. ' ' .. tostring(accepted))
            return accepted and 1 or 0
            """;

    /** A process that is suspended is no reason for this one to fail. */
    private static final int PATIENCE_MILLIS = 60_000;

    private final RedisClient redis;

    Resource(URI uri) {
        redis = connect(uri);
    }

    /** To a Redis that may be suspended meanwhile. */
    static RedisClient connect(URI uri) {
        return RedisClient.builder()
                .hostAndPort(new HostAndPort(uri.getHost(), uri.getPort()))
                .clientConfig(DefaultJedisClientConfig.builder()
                        .timeoutMillis(PATIENCE_MILLIS)
                        .build())
                .build();
    }

    /** {@return whether the write was accepted} */
    boolean write(String lock, String holdId, long token) {
        return redis.eval(WRITE, List.of(lock), List.of(Long.toString(token), holdId))
                .equals(1L);
    }

    List<Write> writes() {
        return redis.lrange("writes", 0, -1).stream().map(Resource::parse).toList();
    }

    private static Write parse(String line) {
        var parts = line.split(" ", -1);
        return new Write(parts[0], parts[1], Long.parseLong(parts[2]), Boolean.parseBoolean(parts[3]));
    }

    @Override
    public void close() {
        redis.close();
    }
}
