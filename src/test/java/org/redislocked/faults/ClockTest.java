package org.redislocked.faults;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.net.URL;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZonedDateTime;
import java.util.Date;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.redislocked.RedisLockUnavailableException;
import org.redislocked.redis.RedisLockClient;
import org.redislocked.testing.Fault;
import org.redislocked.testing.FaultProxy.Command;
import org.redislocked.testing.RedisBinary;

/**
 * Clocks jump. That of a client cannot matter: nothing reads it. That of Redis matters for the time after which a late
 * acquire is refused, and is set here by what the proxy tells of it.
 */
@Tag("faults")
@Timeout(60)
class ClockTest {

    private static final Duration HOUR = Duration.ofHours(1);

    private final Scene scene = Scene.on(RedisBinary.preferred());

    @AfterEach
    void end() {
        scene.close();
    }

    @Test
    void clockOfTheClient_isNeverRead() {
        URL library =
                RedisLockClient.class.getProtectionDomain().getCodeSource().getLocation();
        noClasses()
                .that(resideInAPackage("org.redislocked.."))
                .and()
                .doNotHaveSimpleName("MemorySpace") // which plays the server, and has a clock like one
                .should()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .dependOnClassesThat()
                .belongToAnyOf(Instant.class, Clock.class, Date.class, LocalDateTime.class, ZonedDateTime.class)
                .check(new ClassFileImporter().importUrl(library));
    }

    @Test
    void clockOfRedisJumpsAhead_acquireIsRefusedOnceAndThenSucceeds() {
        try (RedisLockClient client = scene.client().build()) {
            toldTime(scene.timeMicros() - HOUR.toNanos() / 1_000);
            client.get("order").lock();
            assertThat(scene.proxy.seen("acquire"))
                    .map(command -> command.reply().join().substring(0, 2))
                    .containsExactly("[-", "[1");
            client.get("order").unlock();
            assertThat(scene.isFree("order")).isTrue();
        }
    }

    @Test
    void clockOfRedisJumpsAhead_tryLockWithoutTimeIsToldNotBusy() {
        try (RedisLockClient client = scene.client().build()) {
            scene.proxy.policy(command -> command.is("TIME") ? time(0) : Fault.PASS);
            toldTime(scene.timeMicros() - HOUR.toNanos() / 1_000);
            assertThat(client.get("order").tryLock()).isTrue();
            client.get("order").unlock();
        }
    }

    @Test
    void clockOfRedisJumpsBack_lateAcquireIsNotRefusedButReleased() throws Exception {
        try (RedisLockClient client = scene.client().build()) {
            toldTime(scene.timeMicros() + HOUR.toNanos() / 1_000);
            CompletableFuture<Void> gate = new CompletableFuture<>();
            CompletableFuture<Command> late = scene.proxy.next("acquire", Fault.silentlyLate(gate));
            assertThatExceptionOfType(RedisLockUnavailableException.class)
                    .isThrownBy(() -> client.get("order").tryLock());
            Scene.await("the first release", () -> scene.proxy.executed("release") == 1);
            gate.complete(null);
            assertThat(late.get().reply().get()).startsWith("[1, ");
            Scene.await("that the orphan is released", () -> scene.isFree("order"));
        }
    }

    @Test
    void clockOfRedisJumps_tokensGoOnGrowing() {
        try (RedisLockClient client = scene.client().build()) {
            client.get("order").lock();
            long first = client.get("order").fencingToken();
            client.get("order").unlock();
            // as if it had been given out before the clock was set back
            String fence = scene.prefix + "~fence:{" + scene.key("order") + "}";
            long ahead = first + HOUR.toNanos() / 1_000;
            scene.call("SET", fence, String.valueOf(ahead));
            client.get("order").lock();
            assertThat(client.get("order").fencingToken()).isEqualTo(ahead + 1);
            client.get("order").unlock();
            // nor does Redis' forgetting it matter then, as the client remembers
            scene.call("DEL", fence);
            client.get("order").lock();
            assertThat(client.get("order").fencingToken()).isEqualTo(ahead + 2);
            client.get("order").unlock();
        }
    }

    private void toldTime(long micros) {
        scene.proxy.next("TIME", time(micros));
    }

    private static Fault time(long micros) {
        String seconds = String.valueOf(micros / 1_000_000);
        String rest = String.valueOf(micros % 1_000_000);
        return Fault.answer(
                "*2\r\n$" + seconds.length() + "\r\n" + seconds + "\r\n$" + rest.length() + "\r\n" + rest + "\r\n");
    }
}
