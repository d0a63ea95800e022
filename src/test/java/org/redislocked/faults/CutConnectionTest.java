package org.redislocked.faults;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.redislocked.RedisLockUnavailableException;
import org.redislocked.ReentrantRedisLock;
import org.redislocked.redis.RedisLockClient;
import org.redislocked.testing.Fault;
import org.redislocked.testing.FaultProxy.Command;
import org.redislocked.testing.RedisBinary;

/** The connection breaks before or after Redis has executed a script: who asked is not told which. */
@Tag("faults")
@Timeout(60)
@ParameterizedClass
@MethodSource("org.redislocked.testing.RedisBinary#available")
class CutConnectionTest {

    private final Scene scene;

    CutConnectionTest(RedisBinary binary) {
        scene = Scene.on(binary);
    }

    @AfterEach
    void end() {
        scene.close();
    }

    static Stream<Fault> cuts() {
        return Stream.of(Fault.CUT_BEFORE, Fault.CUT_AFTER);
    }

    @ParameterizedTest
    @MethodSource("cuts")
    void acquire_isTriedAgainUnderTheSameGrantId(Fault cut) {
        try (RedisLockClient client = scene.client().build()) {
            CompletableFuture<Command> hit = scene.proxy.next("acquire", cut);
            ReentrantRedisLock lock = client.get("order");
            lock.lock();
            assertThat(hit).isCompleted();
            List<Command> tries = scene.proxy.seen("acquire");
            assertThat(tries).hasSize(2);
            assertThat(grantId(tries.get(1))).isEqualTo(grantId(tries.get(0)));
            assertThat(scene.grant("order")).containsExactly(grantId(tries.get(0)), "1");
            lock.unlock();
            assertThat(scene.isFree("order")).isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource("cuts")
    void acquire_whoGivesUp_leavesNoGrantBehind(Fault cut) {
        try (RedisLockClient client = scene.client().build()) {
            scene.proxy.policy(command -> command.is("acquire") ? cut : Fault.PASS);
            assertThatExceptionOfType(RedisLockUnavailableException.class)
                    .isThrownBy(() -> client.get("order").tryLock())
                    .withMessageContaining("'order'");
            Scene.await("that the lock is free, long before its lease ends", () -> scene.isFree("order"));
            scene.proxy.policy(command -> Fault.PASS);
            assertThat(client.get("order").tryLock()).isTrue();
            client.get("order").unlock();
        }
    }

    @ParameterizedTest
    @MethodSource("cuts")
    void reentry_countIsNeverDoubled(Fault cut) {
        try (RedisLockClient client = scene.client().build()) {
            ReentrantRedisLock lock = client.get("order");
            lock.lock();
            CompletableFuture<Command> hit = scene.proxy.next(Command::setsCount, cut);
            lock.lock();
            assertThat(hit).isCompleted();
            assertThat(lock.getHoldCount()).isEqualTo(2);
            assertThat(count("order")).isEqualTo(cut == Fault.CUT_AFTER ? 2 : 1);
            lock.lock();
            assertThat(count("order")).isEqualTo(3);
            lock.unlock();
            lock.unlock();
            assertThat(count("order")).isEqualTo(1);
            lock.unlock();
            assertThat(scene.isFree("order")).isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource("cuts")
    void innerRelease_neverFails(Fault cut) {
        try (RedisLockClient client = scene.client().build()) {
            ReentrantRedisLock lock = client.get("order");
            lock.lock();
            lock.lock();
            CompletableFuture<Command> hit = scene.proxy.next(Command::setsCount, cut);
            lock.unlock();
            assertThat(hit).isCompleted();
            assertThat(lock.getHoldCount()).isEqualTo(1);
            assertThat(lock.isHeldByCurrentThread()).isTrue();
            lock.unlock();
            assertThat(scene.isFree("order")).isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource("cuts")
    void outerRelease_isRepeatedAndNotReported(Fault cut) {
        try (RedisLockClient client = scene.client().build()) {
            ReentrantRedisLock lock = client.get("order");
            lock.lock();
            CompletableFuture<Command> hit = scene.proxy.next("release", cut);
            lock.unlock();
            assertThat(hit).isCompleted();
            assertThat(lock.isHeldByCurrentThread()).isFalse();
            Scene.await("that the lock is free, long before its lease ends", () -> scene.isFree("order"));
            Scene.await("the second release", () -> scene.proxy.seen("release").size() == 2);
        }
    }

    @ParameterizedTest
    @MethodSource("cuts")
    void renewal_holdGoesOn(Fault cut) {
        try (RedisLockClient client =
                scene.client().leaseTime(Scene.SHORT_LEASE).build()) {
            AtomicInteger renewals = new AtomicInteger();
            // only each third try comes through
            scene.proxy.policy(
                    command -> command.isRenewal() && renewals.incrementAndGet() % 3 != 0 ? cut : Fault.PASS);
            ReentrantRedisLock lock = client.get("order");
            lock.lock();
            Scene.during(Duration.ofMillis(2_500), () -> {
                assertThat(lock.isHeldByCurrentThread()).isTrue();
                assertThat(scene.isFree("order")).isFalse();
            });
            assertThat(renewals).hasValueGreaterThan(5);
            lock.unlock();
            assertThat(scene.isFree("order")).isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource("cuts")
    void holder_saysThatItIsNotKnown(Fault cut) {
        try (RedisLockClient client = scene.client().build()) {
            ReentrantRedisLock lock = client.get("order");
            lock.lock();
            scene.proxy.next("holder", cut);
            assertThatExceptionOfType(RedisLockUnavailableException.class)
                    .isThrownBy(lock::isLocked)
                    .withMessageContaining("'order'");
            assertThat(lock.isLocked()).isTrue();
            lock.unlock();
        }
    }

    @ParameterizedTest
    @MethodSource("cuts")
    void subscription_waiterGetsTheLockAllTheSame(Fault cut) throws Exception {
        try (RedisLockClient holder = scene.directClient().build();
                RedisLockClient client = scene.client().build()) {
            ReentrantRedisLock held = holder.get("order");
            held.lock();
            CompletableFuture<Command> hit = scene.proxy.next("SUBSCRIBE", cut);
            Scene.Running waiter = Scene.run(() -> {
                client.get("order").lock();
                client.get("order").unlock();
            });
            hit.get(20, SECONDS);
            held.unlock();
            waiter.join();
            Scene.await("that nobody is subscribed", () -> scene.channels().isEmpty());
        }
    }

    @ParameterizedTest
    @MethodSource("cuts")
    void clockReading_isTriedAgain(Fault cut) {
        try (RedisLockClient client = scene.client().build()) {
            CompletableFuture<Command> hit = scene.proxy.next("TIME", cut);
            assertThat(client.get("order").tryLock()).isTrue();
            assertThat(hit).isCompleted();
            client.get("order").unlock();
        }
    }

    @Test
    void everyThirdCommandCut_manyThreads_nothingIsLeftBehind() throws Exception {
        try (RedisLockClient client = scene.client().build()) {
            AtomicInteger commands = new AtomicInteger();
            AtomicInteger inside = new AtomicInteger();
            Map<Integer, Fault> faults = Map.of(0, Fault.CUT_BEFORE, 3, Fault.CUT_AFTER);
            scene.proxy.policy(command -> command.script().isEmpty()
                    ? Fault.PASS
                    : faults.getOrDefault(commands.incrementAndGet() % 6, Fault.PASS));
            List<Scene.Running> threads = Stream.generate(() -> Scene.run(() -> {
                        ReentrantRedisLock lock = client.get("order");
                        for (int turn = 0; turn < 10; turn++) {
                            lock.lock();
                            lock.lock();
                            assertThat(inside.incrementAndGet()).isOne();
                            inside.decrementAndGet();
                            lock.unlock();
                            lock.unlock();
                        }
                    }))
                    .limit(4)
                    .toList();
            for (Scene.Running thread : threads) {
                thread.join();
            }
            Scene.await("that the lock is free", () -> scene.locks().isEmpty());
        }
    }

    private long count(String lockName) {
        return Long.parseLong(scene.grant(lockName).get(1));
    }

    private static String grantId(Command acquire) {
        return acquire.scriptArguments().get(2);
    }
}
