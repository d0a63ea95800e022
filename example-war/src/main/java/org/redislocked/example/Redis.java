package org.redislocked.example;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.util.JedisURIHelper;

/** The shop's own way to Redis, which is the data store that its nodes share. The lock has connections of its own. */
@ApplicationScoped
public class Redis {

    private static final int CONNECTIONS = 32;

    @Inject
    @ConfigProperty(name = "redis-lock.uri")
    URI uri;

    private RedisClient client;

    @PostConstruct
    void open() {
        var pool = new ConnectionPoolConfig();
        pool.setMaxTotal(CONNECTIONS);
        pool.setMaxWait(Duration.ofSeconds(5));
        pool.setJmxEnabled(false);
        client = RedisClient.builder()
                .hostAndPort(JedisURIHelper.getHostAndPort(uri))
                .clientConfig(DefaultJedisClientConfig.builder(uri).build())
                .poolConfig(pool)
                .build();
    }

    @PreDestroy
    void close() {
        client.close();
    }

    long get(String key) {
        String value = client.get(key);
        return value == null ? 0 : Long.parseLong(value);
    }

    void set(String key, long value) {
        client.set(key, Long.toString(value));
    }

    void increment(String key) {
        client.incr(key);
    }

    /** Appends to a list that keeps its last {@code limit} entries. */
    void append(String key, String entry, int limit) {
        client.rpush(key, entry);
        client.ltrim(key, -limit, -1);
    }

    List<String> list(String key) {
        return client.lrange(key, 0, -1);
    }

    /** {@return the time of the one clock that all nodes share, in microseconds} */
    long micros() {
        List<?> time = (List<?>) client.eval("return redis.call('TIME')");
        return Long.parseLong(time.get(0).toString()) * 1_000_000
                + Long.parseLong(time.get(1).toString());
    }
}
