package org.redislocked.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.redislocked.core.LockStore;
import org.redislocked.core.LockStore.Subscription;
import org.redislocked.core.StoreException;
import org.redislocked.core.StoreException.Kind;
import org.redislocked.testing.RedisBinary;
import org.redislocked.testing.TestCertificates;
import org.redislocked.testing.TestRedis;

@ParameterizedClass
@MethodSource("org.redislocked.testing.RedisBinary#availableWithTls")
class TlsTest {

    private static final TestCertificates CERTIFICATES = TestCertificates.shared();
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final String MINE = "me-1f:1:1";

    private final RedisBinary binary;
    private TestRedis redis;

    TlsTest(RedisBinary binary) {
        this.binary = binary;
    }

    @AfterEach
    void stop() {
        redis.close();
    }

    @Test
    void certificate_whenTrusted_letsEverythingWork() throws InterruptedException {
        start(CERTIFICATES.server());
        Semaphore wakeUps = new Semaphore(0);

        try (LockStore store = RedisStores.open(trusting());
                Subscription subscription = store.subscribe("order", wakeUps::release)) {
            await(wakeUps);
            assertThat(subscription.isActive()).isTrue();
            store.acquire("order", MINE, LEASE, 0, 0);
            assertThat(store.release("order", MINE)).isTrue();
            await(wakeUps);
        }
    }

    @Test
    void certificate_whenNotTrusted_isRefused() {
        start(CERTIFICATES.server());

        assertFails(
                RedisStores.client(redis), Kind.REFUSED, "showed a certificate that is not trusted", "tls.trust-store");
    }

    @Test
    void certificate_ofAnotherHost_isRefused() {
        start(CERTIFICATES.wrongHost());

        assertFails(trusting(), Kind.REFUSED, "is not for this host name", "127.0.0.1");
    }

    @Test
    void certificate_ofAnotherHostWithoutCheck_isAccepted() {
        start(CERTIFICATES.wrongHost());

        try (LockStore store = RedisStores.open(trusting().verifyHostName(false))) {
            assertThat(store.timeMicros()).isPositive();
        }
    }

    @Test
    void plainText_onTlsPort_isToldOfTls() {
        start(CERTIFICATES.server());

        assertFails(RedisLockClient.builder().uri("redis://127.0.0.1:" + redis.port()), Kind.UNREACHABLE, "rediss://");
    }

    @Test
    void tls_onPlainPort_isToldOfPlainText() {
        redis = TestRedis.start(binary);

        assertFails(
                trusting().uri("rediss://127.0.0.1:" + redis.port()).commandTimeout(Duration.ofMillis(200)),
                Kind.UNREACHABLE,
                "no answer within redis-lock.command-timeout",
                "is this a port for TLS?");
    }

    @Test
    void clientCertificate_whenWantedAndMissing_isRefused() {
        start(CERTIFICATES.server(), "--tls-auth-clients", "yes");

        try (LockStore store = RedisStores.open(trusting())) {
            assertThatThrownBy(store::timeMicros)
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("TLS");
        }
    }

    @Test
    void trustStore_whenMissingOrUnreadable_isToldAtTheStart() {
        redis = TestRedis.start(binary);
        RedisLockClient.Builder client = RedisLockClient.builder().uri("rediss://localhost");

        assertThatThrownBy(() -> client.trustStore(Path.of("no-such-file")).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageMatching("tls\\.trust-store: there is no readable file /.*no-such-file");
        assertThatThrownBy(() -> client.trustStore(CERTIFICATES.trustStore())
                        .trustStorePassword("wr0ng")
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("tls.trust-store: ")
                .hasMessageContaining("tls.trust-store-password must be its password")
                .hasMessageNotContaining("wr0ng");
        assertThatThrownBy(() -> client.trustStore(CERTIFICATES.server().certificate())
                        .trustStorePassword(null)
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("it must be PKCS #12 or JKS");
    }

    private void start(TestCertificates.Identity server, String... options) {
        redis = TestRedis.startTls(binary, server, options);
    }

    private RedisLockClient.Builder trusting() {
        return RedisStores.client(redis)
                .trustStore(CERTIFICATES.trustStore())
                .trustStorePassword(CERTIFICATES.trustStorePassword());
    }

    private static void assertFails(RedisLockClient.Builder client, Kind kind, String... message) {
        try (LockStore store = RedisStores.open(client)) {
            assertThatThrownBy(store::timeMicros)
                    .isInstanceOfSatisfying(
                            StoreException.class, e -> assertThat(e.kind()).isEqualTo(kind))
                    .hasMessageContainingAll(message);
        }
    }

    private static void await(Semaphore semaphore) throws InterruptedException {
        assertThat(semaphore.tryAcquire(5, TimeUnit.SECONDS)).isTrue();
    }
}
