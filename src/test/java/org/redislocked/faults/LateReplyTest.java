package org.redislocked.faults;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.redislocked.Hold;
import org.redislocked.RedisLockLostException;
import org.redislocked.ReentrantRedisLock;
import org.redislocked.redis.RedisLockClient;
import org.redislocked.testing.Fault;
import org.redislocked.testing.FaultProxy.Command;
import org.redislocked.testing.RedisBinary;

/** Redis answers, but when the lease that the answer speaks of is over. */
@Tag("faults")
@Timeout(60)
@ParameterizedClass
@MethodSource("org.redislocked.testing.RedisBinary#available")
class LateReplyTest {

    /** Longer than the lease, so that the late answer is read. */
    private static final Duration PATIENT = Duration.ofSeconds(10);

    private final Scene scene;

    LateReplyTest(RedisBinary binary) {
        scene = Scene.on(binary);
    }

    @AfterEach
    void end() {
        scene.close();
    }

    @Test
    void acquire_answeredAfterTheDeadline_isNoAcquisition() throws Exception {
        try (RedisLockClient client = patient(scene.client());
                RedisLockClient other = scene.directClient().build()) {
            CompletableFuture<Void> gate = new CompletableFuture<>();
            CompletableFuture<Command> first = scene.proxy.next("acquire", Fault.holdReply(gate));
            Scene.Running waiter = Scene.run(() -> {
                assertThat(client.get("order").tryLock()).isFalse();
                assertThat(client.get("order").isHeldByCurrentThread()).isFalse();
            });
            assertThat(first.get(20, SECONDS).reply().get(20, SECONDS)).startsWith("[1, ");
            other.get("order").lock(); // the lease has ended in Redis: somebody else has the lock now
            List<String> grant = scene.grant("order");
            gate.complete(null);
            waiter.join();
            Scene.await("the release of what was no acquisition", () -> scene.proxy.executed("release") == 1);
            assertThat(scene.grant("order")).isEqualTo(grant);
            other.get("order").unlock();
        }
    }

    @Test
    void acquire_answeredAfterTheDeadline_isTriedAgainAsAnotherGrant() throws Exception {
        try (RedisLockClient client = patient(scene.client())) {
            Duration past = Scene.SHORT_LEASE.plusMillis(50);
            CompletableFuture<Command> first = scene.proxy.next("acquire", Fault.holdReply(past));
            client.get("order").lock();
            String ofFirst = first.get().scriptArguments().get(2);
            assertThat(scene.grant("order")).hasSize(2).doesNotContain(ofFirst);
            assertThat(client.get("order").remainingLease()).isPositive();
            client.get("order").unlock();
            assertThat(scene.isFree("order")).isTrue();
        }
    }

    @Test
    void renewal_answeredAfterTheDeadline_holdIsLostForGood() {
        try (RedisLockClient client = patient(scene.client())) {
            CompletableFuture<Void> gate = new CompletableFuture<>();
            scene.proxy.policy(command -> command.isRenewal() ? Fault.holdReply(gate) : Fault.PASS);
            ReentrantRedisLock lock = client.get("order");
            lock.lock();
            Scene.await("that the hold is lost", () -> !lock.isHeldByCurrentThread());
            gate.complete(null);
            Scene.during(
                    Duration.ofMillis(300),
                    () -> assertThat(lock.isHeldByCurrentThread()).isFalse());
            assertThatExceptionOfType(RedisLockLostException.class).isThrownBy(lock::unlock);
            Scene.await("that the lost grant is released", () -> scene.isFree("order"));
        }
    }

    private static RedisLockClient patient(RedisLockClient.Builder client) {
        return client.leaseTime(Scene.SHORT_LEASE).commandTimeout(PATIENT).build();
    }

    @Test
    void renewal_neverAnswered_ensureHeldKeepsNoOtherHoldFromRenewal() {
        try (RedisLockClient client = scene.client()
                .leaseTime(Duration.ofSeconds(3))
                .commandTimeout(PATIENT)
                .build()) {
            client.get("bystander").lock();
            Hold bystander = client.current().orElseThrow();
            client.get("order").lock();
            scene.proxy.next(Command::isRenewal, Fault.holdReply(new CompletableFuture<>()));
            client.current().orElseThrow().ensureHeld(Duration.ofSeconds(5)); // on another connection, soon
            assertThat(bystander.remainingLease()).isPositive();
            client.get("order").unlock();
            client.get("bystander").unlock();
        }
    }
}
