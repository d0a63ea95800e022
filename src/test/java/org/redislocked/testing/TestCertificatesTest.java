package org.redislocked.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.SslOptions;
import redis.clients.jedis.SslVerifyMode;

class TestCertificatesTest {
    private static final String BINARIES = "org.redislocked.testing.RedisBinary#availableWithTls";

    private final TestCertificates certificates = TestCertificates.shared();

    @ParameterizedTest
    @MethodSource(BINARIES)
    void server_trustStoreOfItsAuthority_isAccepted(RedisBinary binary) {
        try (var redis = TestRedis.startTls(binary, certificates.server())) {
            assertThat(ping(redis, "localhost", trusting())).isEqualTo("PONG");
            assertThat(ping(redis, "127.0.0.1", trusting())).isEqualTo("PONG");
        }
    }

    @ParameterizedTest
    @MethodSource(BINARIES)
    void server_trustStoreOfTheJdk_isRefused(RedisBinary binary) {
        try (var redis = TestRedis.startTls(binary, certificates.server())) {
            assertThatThrownBy(() -> ping(redis, "localhost", SslOptions.defaults()))
                    .hasCauseInstanceOf(SSLHandshakeException.class);
        }
    }

    @ParameterizedTest
    @MethodSource(BINARIES)
    void wrongHost_trustedAuthority_isRefused(RedisBinary binary) {
        try (var redis = TestRedis.startTls(binary, certificates.wrongHost())) {
            assertThatThrownBy(() -> ping(redis, "localhost", trusting()))
                    .hasCauseInstanceOf(SSLHandshakeException.class)
                    .rootCause()
                    .hasMessageContaining("localhost");
        }
    }

    private SslOptions trusting() {
        return SslOptions.builder()
                .trustStoreType("PKCS12")
                .truststore(
                        certificates.trustStore().toFile(),
                        certificates.trustStorePassword().toCharArray())
                .sslVerifyMode(SslVerifyMode.FULL)
                .build();
    }

    private static String ping(TestRedis redis, String host, SslOptions ssl) {
        var config = DefaultJedisClientConfig.builder().sslOptions(ssl).build();
        try (var client = RedisClient.builder()
                .hostAndPort(host, redis.port())
                .clientConfig(config)
                .build()) {
            return client.ping();
        }
    }
}
