package org.redislocked.faults;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.redislocked.RedisLockUnavailableException;
import org.redislocked.ReentrantRedisLock;
import org.redislocked.redis.RedisLockClient;
import org.redislocked.testing.Fault;
import org.redislocked.testing.FaultProxy.Command;
import org.redislocked.testing.RedisBinary;

/** Redis executes a command when its sender has long given it up. */
@Tag("faults")
@Timeout(60)
@ParameterizedClass
@MethodSource("org.redislocked.testing.RedisBinary#available")
class LateCommandTest {

    /** Part of the time after which a late acquire is refused: more than the test needs until it lets it come. */
    private static final Duration TIME_TO_BE_LATE = Duration.ofSeconds(2);

    private final Scene scene;
    private final CompletableFuture<Void> gate = new CompletableFuture<>();

    LateCommandTest(RedisBinary binary) {
        scene = Scene.on(binary);
    }

    @AfterEach
    void end() {
        scene.close();
    }

    @Test
    void acquire_executedAfterItsTime_isRefused() throws Exception {
        try (RedisLockClient client = scene.client().build()) {
            Command late = givenUp(client);
            long notAfter = Long.parseLong(late.scriptArguments().get(6));
            Scene.await("the time until which it may be executed", () -> scene.timeMicros() > notAfter);
            assertThat(executeNow(late)).startsWith("[-1, ");
            assertThat(scene.isFree("order")).isTrue();
        }
    }

    @Test
    void acquire_executedWithinItsTime_isReleasedLongBeforeItsLeaseEnds() throws Exception {
        try (RedisLockClient client = scene.client().poolWait(TIME_TO_BE_LATE).build();
                RedisLockClient other = scene.directClient().build()) {
            Command late = givenUp(client);
            // the first release has found nothing
            Scene.await("the first release", () -> scene.proxy.executed("release") == 1);
            assertThat(executeNow(late)).startsWith("[1, ");
            assertThat(scene.grant("order")).containsExactly(grantId(late), "1");
            assertThat(other.get("order").tryLock(10, SECONDS)).isTrue();
            other.get("order").unlock();
            assertThat(scene.proxy.seen().stream().filter(Command::isRenewal)).isEmpty();
        }
    }

    @Test
    void acquire_executedWhenTheRetryIsReleased_leavesNoOrphan() throws Exception {
        try (RedisLockClient client = scene.client().poolWait(TIME_TO_BE_LATE).build()) {
            CompletableFuture<Command> first = scene.proxy.next("acquire", Fault.late(gate));
            client.get("order").lock();
            client.get("order").unlock();
            assertThat(executeNow(first.get())).startsWith("[1, ");
            assertThat(scene.isFree("order")).isFalse();
            Scene.await("that the orphan is released", () -> scene.isFree("order"));
        }
    }

    @Test
    void acquire_executedWhileAnotherHoldsTheLock_changesNothing() throws Exception {
        try (RedisLockClient client = scene.client().build();
                RedisLockClient other = scene.directClient().build()) {
            Command late = givenUp(client);
            other.get("order").lock();
            List<String> grant = scene.grant("order");
            assertThat(executeNow(late)).startsWith("[0, ");
            Scene.await("the second release", () -> scene.proxy.executed("release") == 2);
            assertThat(scene.grant("order")).isEqualTo(grant);
            other.get("order").unlock();
        }
    }

    @Test
    void release_executedWhileAnotherHoldsTheLock_doesNotFreeIt() throws Exception {
        try (RedisLockClient client = scene.client().build();
                RedisLockClient other = scene.directClient().build()) {
            Command late = lateRelease(client);
            other.get("order").lock();
            List<String> grant = scene.grant("order");
            assertThat(executeNow(late)).isEqualTo("0");
            assertThat(scene.grant("order")).isEqualTo(grant);
            other.get("order").unlock();
        }
    }

    @Test
    void release_executedInTheNextHoldOfTheSameThread_doesNotFreeIt() throws Exception {
        try (RedisLockClient client = scene.client().build()) {
            ReentrantRedisLock lock = client.get("order");
            Command late = lateRelease(client);
            lock.lock();
            assertThat(executeNow(late)).isEqualTo("0");
            assertThat(scene.isFree("order")).isFalse();
            assertThat(lock.isHeldByCurrentThread()).isTrue();
            lock.unlock(); // would say that the hold was lost
        }
    }

    @Test
    void renewal_executedAfterALongerLease_doesNotShortenIt() throws Exception {
        try (RedisLockClient client =
                scene.client().leaseTime(Scene.SHORT_LEASE).build()) {
            ReentrantRedisLock lock = client.get("order");
            CompletableFuture<Command> late = scene.proxy.next(Command::isRenewal, Fault.late(gate));
            lock.lock();
            late.get(20, SECONDS);
            lock.lock(60, SECONDS);
            assertThat(executeNow(late.get())).isEqualTo("1");
            assertThat(scene.leaseMillis("order")).isGreaterThan(30_000);
            lock.unlock();
            lock.unlock();
        }
    }

    @Test
    void renewal_executedAfterTheRelease_doesNotReviveTheLock() throws Exception {
        assertComesToNothing(Command::isRenewal, ReentrantRedisLock::lock);
    }

    @Test
    void reentry_executedAfterTheRelease_doesNotReviveTheLock() throws Exception {
        assertComesToNothing(Command::setsCount, lock -> {
            lock.lock();
            lock.lock();
            lock.unlock();
        });
    }

    @Test
    void reentry_executedAfterTheInnerRelease_onlyShowsAWrongNumber() throws Exception {
        try (RedisLockClient client = scene.client().build()) {
            ReentrantRedisLock lock = client.get("order");
            lock.lock();
            CompletableFuture<Command> late = scene.proxy.next(Command::setsCount, Fault.late(gate));
            lock.lock();
            lock.unlock();
            assertThat(executeNow(late.get())).isEqualTo("1");
            assertThat(scene.grant("order").get(1)).isEqualTo("2");
            assertThat(lock.getHoldCount()).isEqualTo(1);
            lock.unlock();
            assertThat(scene.isFree("order")).isTrue();
        }
    }

    private interface Entering {
        void of(ReentrantRedisLock lock);
    }

    /** One such command is late, and is executed first when the lock is free and then when it is another's. */
    private void assertComesToNothing(Predicate<Command> which, Entering entering) throws Exception {
        try (RedisLockClient client =
                        scene.client().leaseTime(Scene.SHORT_LEASE).build();
                RedisLockClient other = scene.directClient().build()) {
            CompletableFuture<Void> secondGate = new CompletableFuture<>();
            for (CompletableFuture<Void> each : List.of(gate, secondGate)) {
                CompletableFuture<Command> late = scene.proxy.next(which, Fault.late(each));
                entering.of(client.get("order"));
                late.get(20, SECONDS);
                client.get("order").unlock();
                assertThat(scene.isFree("order")).isTrue();
                List<String> grant = List.of();
                if (each == secondGate) {
                    other.get("order").lock();
                    grant = scene.grant("order");
                }
                each.complete(null);
                assertThat(late.get().reply().get(20, SECONDS)).isEqualTo("0");
                assertThat(scene.grant("order")).isEqualTo(grant);
            }
            other.get("order").unlock();
        }
    }

    /** {@return the one try of somebody who has given up, which Redis has not executed yet} */
    private Command givenUp(RedisLockClient client) throws Exception {
        CompletableFuture<Command> late = scene.proxy.next("acquire", Fault.silentlyLate(gate));
        assertThatExceptionOfType(RedisLockUnavailableException.class)
                .isThrownBy(() -> client.get("order").tryLock());
        return late.get();
    }

    /** {@return the release that Redis has not executed yet, where another of the same grant has freed the lock} */
    private Command lateRelease(RedisLockClient client) throws Exception {
        client.get("order").lock();
        CompletableFuture<Command> late = scene.proxy.next("release", Fault.late(gate));
        client.get("order").unlock();
        Scene.await("the second release", () -> scene.isFree("order"));
        return late.get();
    }

    private String executeNow(Command late) throws Exception {
        gate.complete(null);
        return late.reply().get(20, SECONDS);
    }

    private static String grantId(Command acquire) {
        return acquire.scriptArguments().get(2);
    }
}
