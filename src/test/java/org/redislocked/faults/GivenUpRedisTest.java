package org.redislocked.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.redislocked.RedisLockUnavailableException;
import org.redislocked.redis.RedisLockClient;
import org.redislocked.testing.RedisBinary;

/** Redis hangs for longer than the unavailable-timeout: the threads of a server must not pile up before it. */
@Tag("faults")
@Timeout(60)
class GivenUpRedisTest {

    private static final int THREADS = 50;
    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(2);

    private final Scene scene = Scene.alone(RedisBinary.preferred());

    @AfterEach
    void end() {
        scene.close();
    }

    @Test
    void hangs_oneCallAtATimeTries_allOthersFailAtOnce_andItsReturnIsNoticed() throws Exception {
        try (RedisLockClient client = scene.client()
                .commandTimeout(COMMAND_TIMEOUT)
                .unavailableTimeout(Duration.ofSeconds(1))
                .build()) {
            client.get("warm").lock();
            client.get("warm").unlock();
            scene.redis.suspend();
            assertThatExceptionOfType(RedisLockUnavailableException.class)
                    .isThrownBy(() -> client.get("first").lock())
                    .withMessageContaining("'first'");
            List<String> tried = new CopyOnWriteArrayList<>();
            List<Scene.Running> calls = new ArrayList<>();
            long start = System.nanoTime();
            for (int i = 0; i < THREADS; i++) {
                String name = "name" + i % 10; // on the same lock and on others
                calls.add(Scene.run(() -> assertThatExceptionOfType(RedisLockUnavailableException.class)
                        .isThrownBy(() -> client.get(name).lock())
                        .withMessageContaining("'" + name + "'")
                        .satisfies(e -> {
                            if (!e.getMessage().contains("only one call at a time tries")) {
                                tried.add(name);
                            }
                        })));
            }
            for (Scene.Running call : calls) {
                call.join();
            }
            // each try takes the command-timeout, and meanwhile there is no other
            long oneAfterTheOther = Duration.ofNanos(System.nanoTime() - start).dividedBy(COMMAND_TIMEOUT) + 1;
            assertThat(tried).hasSizeBetween(1, (int) oneAfterTheOther);
            scene.redis.resume();
            Scene.await("Redis is noticed again", () -> {
                try {
                    client.get("back").lock();
                    client.get("back").unlock();
                    return true;
                } catch (RedisLockUnavailableException e) {
                    return false;
                }
            });
        }
    }
}
