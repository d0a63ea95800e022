package org.redislocked.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class ConnectionSettingsTest {

    @ParameterizedTest
    @CsvSource({
        "redis://host,                       redis://host:6379",
        "redis://host:7000/,                 redis://host:7000",
        "redis://host/2,                     redis://host:6379/2",
        "rediss://me:t%40ps@host,            rediss://host:6379",
        "redis://[::1]:6380,                 redis://[::1]:6380",
        "memory:,                            memory:",
        "memory://,                          memory:",
    })
    void uri_ofAnyForm_isShownWithoutSecrets(String uri, String shown) {
        assertThat(RedisLockClient.builder().uri(uri).connection()).hasToString(shown);
    }

    @Test
    void userInfo_percentEncoded_isDecoded() {
        ConnectionSettings settings =
                RedisLockClient.builder().uri("redis://m%3Ae:t%40p+s:x@host").connection();

        assertThat(settings.username()).isEqualTo("m:e");
        assertThat(settings.password()).isEqualTo("t@p+s:x");
    }

    @Test
    void userAndPassword_givenApart_replaceThoseOfTheUri() {
        ConnectionSettings settings = RedisLockClient.builder()
                .uri("redis://me:old@host")
                .username("you")
                .password("new")
                .connection();

        assertThat(settings.username()).isEqualTo("you");
        assertThat(settings.password()).isEqualTo("new");
    }

    @ParameterizedTest
    @CsvSource({
        "host,                               the scheme 'null' is unknown",
        "http://host,                        the scheme 'http' is unknown",
        "redis-sentinel://host,              redis-sentinel is not yet supported",
        "redis-cluster://host,               redis-cluster is not yet supported",
        "redis:host,                         it names no valid host",
        "redis://host_1:port,                it names no valid host",
        "redis://host/x,                     the path",
        "redis://host/0/1,                   the path",
        "redis://host?db=1,                  parameters",
        "redis://host#1,                     parameters",
        "redis://host:70000,                 port 70000",
        "redis://me:t%zzps@host,             is not a valid URI",
        "redis://me@host,                    password: is needed with a user name",
        "memory:x,                           what follows memory:",
    })
    void uri_whenWrong_isRefused(String uri, String message) {
        assertThatThrownBy(() -> RedisLockClient.builder().uri(uri).connection())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message)
                .hasMessageNotContaining("ps");
    }

    @ParameterizedTest
    @MethodSource
    void value_whenWrong_isRefusedByTheNameOfItsKey(String key, Consumer<RedisLockClient.Builder> change) {
        RedisLockClient.Builder client = RedisLockClient.builder();
        change.accept(client);

        assertThatThrownBy(client::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(key + ": ");
    }

    static Stream<Arguments> value_whenWrong_isRefusedByTheNameOfItsKey() {
        return Stream.of(
                wrong("password", client -> client.username("me")),
                wrong("uri", client -> client.verifyHostName(false)),
                wrong("uri", client -> client.uri("memory:").trustStore(Path.of("x"))),
                wrong("tls.trust-store", client -> client.trustStorePassword("x")),
                wrong("tls.key-store", client -> client.keyStorePassword("x")),
                wrong("tls.key-store", client -> client.uri("rediss://host").keyStore(Path.of("no-such-file"))),
                wrong("key-prefix", client -> client.keyPrefix("")),
                wrong("key-prefix", client -> client.uri("memory:").keyPrefix("{")),
                wrong("client-name", client -> client.clientName("a b")),
                wrong("lease-time", client -> client.leaseTime(Duration.ofMillis(999))),
                wrong("connect-timeout", client -> client.connectTimeout(Duration.ZERO)),
                wrong("command-timeout", client -> client.commandTimeout(Duration.ofHours(1))),
                wrong("pool.max-size", client -> client.poolSize(0)),
                wrong("pool.max-wait", client -> client.poolWait(Duration.ofSeconds(-1))),
                wrong("poll-interval", client -> client.pollInterval(Duration.ZERO)),
                wrong("unavailable-timeout", client -> client.unavailableTimeout(Duration.ofSeconds(-1))),
                wrong("shutdown-timeout", client -> client.shutdownTimeout(Duration.ofHours(1))));
    }

    private static Arguments wrong(String key, Consumer<RedisLockClient.Builder> change) {
        return Arguments.of(key, change);
    }

    @Test
    void values_atTheirBounds_areAccepted() {
        Duration minute = Duration.ofMinutes(1);

        RedisLockClient.builder()
                .connectTimeout(minute)
                .commandTimeout(minute)
                .poolWait(minute)
                .build()
                .close();
    }
}
