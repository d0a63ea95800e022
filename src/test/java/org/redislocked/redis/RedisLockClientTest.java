package org.redislocked.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.redislocked.RedisLockUnavailableException;
import org.redislocked.ReentrantRedisLock;
import org.redislocked.testing.RedisBinary;
import org.redislocked.testing.TestRedis;

class RedisLockClientTest {

    @ParameterizedTest
    @ValueSource(strings = {"redis", "memory"})
    void twoClients_excludeOneAnother(String where) throws Exception {
        String uri = where.equals("memory")
                ? "memory:"
                : RedisStores.server(RedisBinary.preferred()).uri().toString();
        try (RedisLockClient first = RedisLockClient.builder().uri(uri).build();
                RedisLockClient second = RedisLockClient.builder().uri(uri).build()) {
            ReentrantRedisLock lock = first.get("two-clients");
            lock.lock();
            assertThat(lock.tryLock()).isTrue();
            assertThat(second.get("two-clients").tryLock()).isFalse();
            assertThat(second.get("two-clients").holder().orElseThrow().holdCount())
                    .isEqualTo(2);
            CompletableFuture<Boolean> waiting = RedisStores.async(() -> {
                second.get("two-clients").lock();
                second.get("two-clients").unlock();
                return true;
            });
            lock.unlock();
            lock.unlock();
            waiting.join();
            assertThat(first.get("two-clients").isLocked()).isFalse();
        }
    }

    @Test
    @Timeout(30)
    void client_whenClosed_leavesNoThreadAndNoConnection() {
        try (TestRedis redis = TestRedis.start()) {
            RedisLockClient client =
                    RedisStores.client(redis).clientName("leaves-nothing").build();
            client.get("order").lock();
            client.get("order").unlock();

            client.close();
            client.close();

            RedisStores.await(() -> Thread.getAllStackTraces().keySet().stream()
                    .noneMatch(thread -> thread.getName().contains("leaves-nothing")));
            RedisStores.await(() ->
                    ((String) RedisStores.call(redis, "CLIENT", "LIST")).lines().count() == 1);
        }
    }

    @Test
    void client_whenRedisRefuses_saysWhichLockAndWhy() {
        TestRedis redis = RedisStores.server(RedisBinary.preferred());
        RedisStores.call(redis, "SET", "redis-lock:foreign", "x");
        try (RedisLockClient client = RedisStores.client(redis).build()) {
            assertThatThrownBy(() -> client.get("foreign").lock())
                    .isInstanceOf(RedisLockUnavailableException.class)
                    .hasMessageContaining("Lock 'foreign'")
                    .hasMessageContaining("Key 'redis-lock:foreign' in Redis at " + redis.uri() + " is not a lock");
        }
    }

    @Test
    void toString_always_hidesThePassword() {
        try (RedisLockClient client =
                RedisLockClient.builder().uri("redis://me:t0ps@host:1/2").build()) {
            assertThat(client).hasToString("redis://host:1/2");
        }
    }
}
