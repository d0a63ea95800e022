package org.redislocked.trial;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.util.JedisURIHelper;

/** What a case may want to know of the node that it runs on, and of the other one. */
@ApplicationScoped
public class Here {

    private static final HttpClient HTTP = HttpClient.newHttpClient();

    @Inject
    @ConfigProperty(name = "trial.server")
    String server;

    @Inject
    @ConfigProperty(name = "trial.other")
    URI other;

    @Inject
    @ConfigProperty(name = "redis-lock.uri")
    URI uri;

    private RedisClient redis;

    @PostConstruct
    void open() {
        var pool = new ConnectionPoolConfig();
        pool.setMaxWait(Duration.ofSeconds(5));
        pool.setJmxEnabled(false);
        redis = RedisClient.builder()
                .hostAndPort(JedisURIHelper.getHostAndPort(uri))
                .clientConfig(DefaultJedisClientConfig.builder(uri).build())
                .poolConfig(pool)
                .build();
    }

    @PreDestroy
    void close() {
        redis.close();
    }

    /** {@return {@code liberty}, {@code wildfly} or {@code payara}} */
    public String server() {
        return server;
    }

    /** {@return a client of the Redis that holds the locks; it must not be closed} */
    public RedisClient redis() {
        return redis;
    }

    /** {@return the hold count in Redis; 0 if nobody holds the lock} */
    public int countInRedis(String lock) {
        return redis.hvals("redis-lock:" + lock).stream()
                .mapToInt(Integer::parseInt)
                .sum();
    }

    /** Runs a public method without parameters of a class with cases on the other node, and {@return the JSON answer} */
    public String runOnOther(Class<?> bean, String method) throws IOException, InterruptedException {
        URI address = other.resolve("cases/" + bean.getSimpleName() + '/' + method);
        HttpRequest request = HttpRequest.newBuilder(address)
                .timeout(Duration.ofSeconds(60))
                .POST(BodyPublishers.noBody())
                .build();
        var response = HTTP.send(request, BodyHandlers.ofString());
        if (response.statusCode() != 200 || !response.body().contains("\"passed\"")) {
            throw new AssertionError(address + " answered " + response.statusCode() + ": " + response.body());
        }
        return response.body();
    }
}
