package org.redislocked.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.redislocked.RedisLockUnavailableException;
import org.redislocked.ReentrantRedisLock;
import org.redislocked.redis.RedisLockClient;
import org.redislocked.testing.Fault;
import org.redislocked.testing.RedisBinary;

/** All connections of the pool are in use, since Redis does not answer on them. */
@Tag("faults")
@Timeout(60)
class ExhaustedPoolTest {

    private final Scene scene = Scene.on(RedisBinary.preferred());

    @AfterEach
    void end() {
        scene.close();
    }

    @Test
    void holdsAreRenewed_othersAreToldWhatToRaise_andAllGoesOnAfterwards() throws Exception {
        CompletableFuture<Void> gate = new CompletableFuture<>();
        try (RedisLockClient client = scene.client()
                .poolSize(1)
                .commandTimeout(Duration.ofSeconds(20))
                .leaseTime(Scene.SHORT_LEASE)
                .build()) {
            ReentrantRedisLock held = client.get("held");
            held.lock();
            var stuck = scene.proxy.next("acquire", Fault.holdReply(gate));
            Scene.Running stuckCall = Scene.run(() -> {
                client.get("stuck").lock();
                client.get("stuck").unlock();
            });
            stuck.join();
            // the one connection is in use: renewal has its own
            Scene.during(
                    Scene.SHORT_LEASE.multipliedBy(3),
                    () -> assertThat(held.isHeldByCurrentThread()).isTrue());
            assertThatExceptionOfType(RedisLockUnavailableException.class)
                    .isThrownBy(() -> client.get("other").tryLock())
                    .withMessageContaining("'other'")
                    .withMessageContaining("redis-lock.pool.max-size");
            client.current().orElseThrow().ensureHeld(Duration.ofSeconds(5)); // on the connection of the renewal, too
            held.unlock(); // cannot reach Redis now, and is not reported
            gate.complete(null);
            stuckCall.join();
            client.get("other").lock();
            client.get("other").unlock();
            Scene.await("no lock is left", () -> scene.locks().isEmpty());
        }
    }
}
