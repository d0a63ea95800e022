package org.redislocked.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.redislocked.RedisLockUnavailableException;
import org.redislocked.ReentrantRedisLock;
import org.redislocked.redis.RedisLockClient;
import org.redislocked.testing.Fault;
import org.redislocked.testing.FaultProxy.Command;
import org.redislocked.testing.RedisBinary;

/** Every connection of the pool waits for an answer. */
@Tag("faults")
@Timeout(60)
class PoolTest {

    private final Scene scene = Scene.on(RedisBinary.preferred());

    @AfterEach
    void end() {
        scene.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void exhausted_renewalAndSignalsGoOn_andAcquirersAreTold(int size) throws Exception {
        CompletableFuture<Void> gate = new CompletableFuture<>();
        try (RedisLockClient client = scene.client()
                        .leaseTime(Scene.SHORT_LEASE)
                        .poolSize(size)
                        .commandTimeout(Duration.ofSeconds(15))
                        .unavailableTimeout(Duration.ofMinutes(1))
                        .build();
                RedisLockClient other = scene.directClient().build()) {
            ReentrantRedisLock held = client.get("held");
            held.lock();
            other.get("waited-for").lock();
            Scene.Running waiter = Scene.run(() -> {
                client.get("waited-for").lock();
                client.get("waited-for").unlock();
            });
            Scene.await("that the waiter is subscribed", () -> !scene.channels().isEmpty());
            scene.proxy.policy(
                    command -> command.arguments().toString().contains("slow") ? Fault.holdReply(gate) : Fault.PASS);
            List<Scene.Running> slow = new ArrayList<>();
            for (int i = 0; i < size; i++) {
                String name = "slow" + i;
                slow.add(Scene.run(() -> {
                    assertThat(client.get(name).isLocked()).isFalse();
                }));
            }
            Scene.await("that the pool is exhausted", () -> scene.proxy.executed("holder") == size);

            assertThatExceptionOfType(RedisLockUnavailableException.class)
                    .isThrownBy(() -> client.get("more").tryLock())
                    .withMessageContaining("'more'")
                    .withMessageContaining("redis-lock.pool.max-size");
            int renewals = renewals();
            Scene.during(
                    Scene.SHORT_LEASE.multipliedBy(2),
                    () -> assertThat(held.isHeldByCurrentThread()).isTrue());
            assertThat(renewals()).isGreaterThan(renewals);
            assertThat(scene.isFree("held")).isFalse();

            gate.complete(null);
            for (Scene.Running each : slow) {
                each.join();
            }
            other.get("waited-for").unlock();
            waiter.join();
            held.unlock();
            assertThat(client.get("more").tryLock(10, TimeUnit.SECONDS)).isTrue();
            client.get("more").unlock();
            assertThat(scene.locks()).isEmpty();
            // the pool, the signals, the renewals
            assertThat(scene.proxy.connections()).isLessThanOrEqualTo(size + 2);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void connectionsCutAgainAndAgain_noneIsLeaked(int size) {
        try (RedisLockClient client = scene.client().poolSize(size).build()) {
            ReentrantRedisLock lock = client.get("order");
            for (int i = 0; i < 20; i++) {
                scene.proxy.next("acquire", i % 2 == 0 ? Fault.CUT_BEFORE : Fault.CUT_AFTER);
                scene.proxy.next("release", i % 2 == 0 ? Fault.CUT_AFTER : Fault.CUT_BEFORE);
                lock.lock(); // would wait in vain for a connection that nobody has given back
                lock.unlock();
            }
            Scene.await("that the lock is free", () -> scene.isFree("order"));
            assertThat(scene.proxy.connections()).isLessThanOrEqualTo(size + 1);
        }
    }

    private int renewals() {
        return (int)
                scene.proxy.seen("count").stream().filter(Command::isRenewal).count();
    }
}
