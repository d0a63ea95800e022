package org.redislocked.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayDeque;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.params.SetParams;

class TestRedisTest {
    private static final String BINARIES = "org.redislocked.testing.RedisBinary#available";

    @Test
    void shared_always_isOneThatAnswers() {
        var key = UUID.randomUUID().toString();
        try (var client = RedisClient.create(TestRedis.shared().uri())) {
            client.set(key, "value", SetParams.setParams().ex(10));
            assertThat(client.get(key)).isEqualTo("value");
        }
        assertThat(TestRedis.shared()).isSameAs(TestRedis.shared());
    }

    @Test
    void shared_control_isRefused() {
        var shared = TestRedis.shared();

        assertThatThrownBy(shared::kill).hasMessageContaining("TestRedis.start()");
        shared.close();
        try (var client = RedisClient.create(shared.uri())) {
            assertThat(client.ping()).isEqualTo("PONG");
        }
    }

    @ParameterizedTest
    @MethodSource(BINARIES)
    void start_withOptions_obeysThem(RedisBinary binary) {
        try (var redis = TestRedis.start(binary, "--maxmemory", "1mb", "--maxmemory-policy", "noeviction");
                var client = RedisClient.create(redis.uri())) {
            assertThatThrownBy(() -> client.set("key", "x".repeat(2_000_000)))
                    .isInstanceOf(JedisDataException.class)
                    .hasMessageContaining("OOM");
        }
    }

    @Test
    void start_withUnknownOption_showsWhatTheServerSays() {
        assertThatThrownBy(() -> TestRedis.start("--no-such-option", "1"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no-such-option");
    }

    @Test
    void start_twice_givesTwoServers() {
        try (var one = TestRedis.start();
                var other = TestRedis.start()) {
            assertThat(one.port()).isNotEqualTo(other.port());
            assertThat(one.pid()).isNotEqualTo(other.pid());
        }
    }

    @ParameterizedTest
    @MethodSource(BINARIES)
    void start_portTakenMeanwhile_takesAnother(RedisBinary binary) throws IOException {
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                var free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var ports = new ArrayDeque<>(List.of(taken.getLocalPort(), free.getLocalPort()));
            free.close();

            var server = RedisProcess.start(ports::remove, binary.path(), "--port", List.of());
            server.close();

            assertThat(server.port()).isEqualTo(free.getLocalPort());
            assertThat(ports).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource(BINARIES)
    void restart_afterKill_samePortAndNoData(RedisBinary binary) {
        try (var redis = TestRedis.start(binary)) {
            var uri = redis.uri();
            try (var client = RedisClient.create(uri)) {
                client.set("key", "value");
            }

            redis.kill();
            assertThatThrownBy(() -> ping(redis)).isInstanceOf(JedisConnectionException.class);
            redis.restart();

            assertThat(redis.uri()).isEqualTo(uri);
            try (var client = RedisClient.create(uri)) {
                assertThat(client.get("key")).isNull();
            }
        }
    }

    @Test
    void stop_running_endsIt() {
        try (var redis = TestRedis.start()) {
            redis.stop();

            assertThat(redis.output()).contains("Redis is now ready to exit");
            assertThat(ProcessHandle.of(redis.pid())).isEmpty();
        }
    }

    @Test
    void suspend_thenResume_answersOnlyAfter() {
        try (var redis = TestRedis.start()) {
            redis.suspend();
            assertThatThrownBy(() -> ping(redis)).isInstanceOf(JedisConnectionException.class);

            redis.resume();
            assertThat(ping(redis)).isEqualTo("PONG");
        }
    }

    @Test
    void close_suspended_leavesNoProcess() {
        var redis = TestRedis.start();
        redis.suspend();

        redis.close();

        assertThat(ProcessHandle.of(redis.pid())).isEmpty();
    }

    private static String ping(TestRedis redis) {
        var impatient = DefaultJedisClientConfig.builder().timeoutMillis(500).build();
        try (var client = RedisClient.builder()
                .hostAndPort(redis.host(), redis.port())
                .clientConfig(impatient)
                .build()) {
            return client.ping();
        }
    }
}
