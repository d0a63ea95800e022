package org.redislocked.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.redislocked.RedisLockUnavailableException;
import org.redislocked.testing.RedisBinary;
import org.redislocked.testing.TestRedis;

@ParameterizedClass
@MethodSource("org.redislocked.testing.RedisBinary#available")
class EvictionPolicyTest {

    private final List<String> warnings = new CopyOnWriteArrayList<>();
    private final RedisBinary binary;
    private CapturedLog log;

    EvictionPolicyTest(RedisBinary binary) {
        this.binary = binary;
    }

    @BeforeEach
    void listen() {
        log = new CapturedLog(warnings::add);
    }

    @AfterEach
    void close() {
        log.close();
    }

    @Test
    void keysMayBeEvicted_isWarnedOfOnceAClient() {
        try (TestRedis redis = TestRedis.start(binary, "--maxmemory-policy", "volatile-lru");
                RedisLockClient client = RedisStores.client(redis).build()) {
            lockAndUnlock(client);
            assertThat(warnings).singleElement().asString().contains("volatile-lru", "noeviction");
            try (RedisLockStore store = RedisStores.open(redis)) {
                assertThat(store.timeMicros()).isPositive();
                assertThat(store.timeMicros()).isPositive();
            }
            lockAndUnlock(client);
            assertThat(warnings).hasSize(2);
        }
    }

    @Test
    void nothingIsEvicted_isQuiet() {
        try (RedisLockClient client =
                RedisStores.client(RedisStores.server(binary)).build()) {
            lockAndUnlock(client);
            assertThat(warnings).isEmpty();
        }
    }

    @Test
    void redisIsDownAtFirst_isWarnedOfWhenItIsThere() {
        try (TestRedis redis = TestRedis.start(binary, "--maxmemory-policy", "allkeys-lru");
                RedisLockClient client = RedisStores.client(redis).build()) {
            redis.stop();
            assertThatExceptionOfType(RedisLockUnavailableException.class)
                    .isThrownBy(() -> client.get("order").tryLock());
            redis.restart();
            lockAndUnlock(client);
            assertThat(warnings).anyMatch(warning -> warning.contains("allkeys-lru"));
        }
    }

    @Test
    void userMayNotAsk_isQuietAndLocks() {
        try (TestRedis redis = TestRedis.start(binary, "--maxmemory-policy", "allkeys-lru")) {
            RedisStores.call(redis, "ACL", "SETUSER", "app", "on", ">secret", "~*", "&*", "+@all", "-info");
            try (RedisLockClient client =
                    RedisStores.client(redis).username("app").password("secret").build()) {
                lockAndUnlock(client);
                assertThat(warnings).isEmpty();
            }
        }
    }

    private static void lockAndUnlock(RedisLockClient client) {
        client.get("order").lock();
        client.get("order").unlock();
    }

    @Test
    void infoIsRenamed_isQuietAndLocks() {
        try (TestRedis redis = TestRedis.start(binary, "--rename-command", "INFO", "HIDDEN");
                RedisLockClient client = RedisStores.client(redis).build()) {
            lockAndUnlock(client);
            assertThat(warnings).isEmpty();
        }
    }
}
