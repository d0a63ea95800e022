package org.redislocked.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.redislocked.RedisLockUnavailableException;
import org.redislocked.ReentrantRedisLock;
import org.redislocked.redis.RedisLockClient;
import org.redislocked.testing.Fault;
import org.redislocked.testing.RedisBinary;

/**
 * Redis answers with an error, in the words of 6.2 and of 7. Where Redis can be brought to give such an answer itself,
 * {@code RefusalsTest}, {@code AclTest} and {@code ScriptsTest} do; here the whole client gets it.
 */
@Tag("faults")
@Timeout(60)
class RefusalTest {

    private static final String READONLY = "READONLY You can't write against a read only replica.";
    private static final String LOADING = "LOADING Redis is loading the dataset in memory";

    /** How 6.2 wraps what a script's command was answered. */
    private static final String WRAPPED =
            "ERR Error running script (call to f_7766be5c05de2ee084d7435f7a9a5c48c7001431): @user_script:24: ";

    private final Scene scene = Scene.on(RedisBinary.preferred());

    @AfterEach
    void end() {
        scene.close();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    MISCONF Redis is configured to save RDB snapshots, but it is unable to persist on disk. | (MISCONF)
                    @-MISCONF Redis is configured to save RDB snapshots, but it's not able to persist on disk. | (MISCONF)
                    MISCONF Errors writing to the AOF file: No space left on device | (MISCONF)
                    NOAUTH Authentication required. | (NOAUTH)
                    NOPERM this user has no permissions to run the 'evalsha' command or its subcommand | does not permit
                    NOPERM User app has no permissions to run the 'evalsha' command | does not permit
                    NOPERM this user has no permissions to access one of the keys used as arguments | does not permit
                    @The user executing the script can't run this command or subcommand | does not permit
                    ERR The user executing the script can't run this command or subcommand script: f5 | does not permit
                    @-OOM command not allowed when used memory > 'maxmemory'. | (OOM)
                    OOM command not allowed when used memory > 'maxmemory'. script: 77, on @user_script:24. | (OOM)
                    @WRONGTYPE Operation against a key holding the wrong kind of value | (WRONGTYPE)
                    WRONGTYPE Operation against a key holding the wrong kind of value script: 77 | (WRONGTYPE)
                    """)
    void refusal_isToldAtOnceAndNotRetried(String answer, String told) {
        try (RedisLockClient client = scene.client().build()) {
            scene.proxy.next("acquire", Fault.error(error(answer)));
            assertThatExceptionOfType(RedisLockUnavailableException.class)
                    .isThrownBy(() -> client.get("order").lock())
                    .withMessageContaining("'order'")
                    .withMessageContaining(told);
            assertThat(scene.proxy.seen("acquire")).hasSize(1);
            assertThat(client.get("order").tryLock()).isTrue();
            client.get("order").unlock();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                READONLY,
                "@-" + READONLY,
                LOADING,
                "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.",
                "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'."
            })
    void passingTrouble_isRetriedUntilItIsOver(String answer) {
        try (RedisLockClient client = scene.client().build()) {
            for (int i = 0; i < 3; i++) {
                scene.proxy.next("acquire", Fault.error(error(answer)));
            }
            client.get("order").lock();
            assertThat(scene.proxy.seen("acquire")).hasSize(4);
            client.get("order").unlock();
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    READONLY You can't write against a read only replica. | must lead to the primary
                    LOADING Redis is loading the dataset in memory | cannot answer at present
                    """)
    void passingTrouble_thatDoesNotPass_isToldWithinTheTimeout(String answer, String told) {
        try (RedisLockClient client =
                scene.client().unavailableTimeout(Duration.ofMillis(300)).build()) {
            scene.proxy.policy(command -> command.is("acquire") ? Fault.error(answer) : Fault.PASS);
            assertThatExceptionOfType(RedisLockUnavailableException.class)
                    .isThrownBy(() -> client.get("order").lock())
                    .withMessageContaining("'order'")
                    .withMessageContaining(told);
            assertThat(scene.proxy.seen("acquire")).hasSizeGreaterThan(1);
            scene.proxy.policy(command -> Fault.PASS);
            client.get("order").lock();
            client.get("order").unlock();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {READONLY, LOADING, "MISCONF Errors writing to the AOF file", "NOPERM no permission at all"})
    void renewalRefusedForAWhile_holdGoesOn(String answer) {
        try (RedisLockClient client =
                scene.client().leaseTime(Scene.SHORT_LEASE).build()) {
            AtomicInteger renewals = new AtomicInteger();
            scene.proxy.policy(command ->
                    command.isRenewal() && renewals.incrementAndGet() % 3 != 0 ? Fault.error(answer) : Fault.PASS);
            ReentrantRedisLock lock = client.get("order");
            lock.lock();
            Scene.during(
                    Scene.SHORT_LEASE.multipliedBy(2),
                    () -> assertThat(lock.isHeldByCurrentThread()).isTrue());
            assertThat(renewals).hasValueGreaterThan(3);
            lock.unlock();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {READONLY, LOADING, "MISCONF Errors writing to the AOF file", "NOPERM no permission at all"})
    void releaseRefusedForAWhile_isRepeatedAndNotReported(String answer) {
        try (RedisLockClient client = scene.client().build()) {
            ReentrantRedisLock lock = client.get("order");
            lock.lock();
            for (int i = 0; i < 3; i++) {
                scene.proxy.next("release", Fault.error(answer));
            }
            lock.unlock();
            assertThat(scene.isFree("order")).isFalse();
            Scene.await("that the lock is free", () -> scene.isFree("order"));
        }
    }

    private static String error(String answer) {
        return answer.startsWith("@") ? WRAPPED + answer.substring(1) : answer;
    }
}
