package org.redislocked.testing;

import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Chooses the Redis of this JVM: the URI in {@code TEST_REDIS_URI}; a container where an engine answers; a server on the
 * PATH; the binary of embedded-redis. Says with one line which.
 */
final class SharedRedis {
    private SharedRedis() {}

    static URI choose() {
        var given = System.getenv("TEST_REDIS_URI");
        if (given != null && !given.isBlank()) {
            return announced("TEST_REDIS_URI", URI.create(given.strip()));
        }
        return RedisContainer.start()
                .map(uri -> announced("container " + RedisContainer.IMAGE, uri))
                .orElseGet(SharedRedis::local);
    }

    private static URI local() {
        var binary = RedisBinary.preferred();
        var server = RedisProcess.start(binary.path(), "--port", List.of());
        var how = binary == RedisBinary.EMBEDDED
                ? "binary of embedded-redis"
                : binary.path().toString();
        return announced(how, URI.create("redis://127.0.0.1:" + server.port()));
    }

    private static URI announced(String how, URI uri) {
        try (var client = RedisClient.create(uri)) {
            var version = version(client.info("server"));
            System.out.println("Test Redis: " + how + ", " + version + ", port " + uri.getPort());
            return uri;
        } catch (JedisException e) {
            throw new IllegalStateException("Test Redis: " + how + " does not answer: " + e.getMessage(), e);
        }
    }

    private static String version(String info) {
        Map<String, String> fields = info.lines()
                .map(line -> line.split(":", 2))
                .filter(pair -> pair.length == 2)
                .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));
        return fields.containsKey("valkey_version")
                ? "Valkey " + fields.get("valkey_version")
                : "Redis " + fields.get("redis_version");
    }
}
