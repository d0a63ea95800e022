package org.redislocked.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.redislocked.ReentrantRedisLock;
import org.redislocked.redis.RedisLockClient;
import org.redislocked.testing.JavaProcess;
import org.redislocked.testing.RedisBinary;

/** The whole JVM of a holder is killed or frozen. */
@Tag("faults")
@Timeout(60)
class HolderJvmTest {

    private static final Duration START = Duration.ofSeconds(30);
    private static final Duration ANSWER = Duration.ofSeconds(10);

    private final Scene scene = Scene.on(RedisBinary.preferred());
    private final String resource = scene.prefix + "~resource";

    @AfterEach
    void end() {
        scene.close();
    }

    @Test
    void killed_waiterGetsTheLockWhenTheLeaseEnds() throws Exception {
        try (JavaProcess holder = start(Duration.ofSeconds(2));
                RedisLockClient client = scene.directClient().build()) {
            long token = Long.parseLong(holder.readLine(START));
            Scene.Running waiter = Scene.run(() -> {
                client.get("order").lock();
                assertThat(client.get("order").fencingToken()).isGreaterThan(token);
                client.get("order").unlock();
            });
            Scene.await("the waiter", () -> !scene.channels().isEmpty());
            // alive, it is renewed for as long as it takes
            Scene.during(
                    Duration.ofMillis(2_500), () -> assertThat(waiter.isDone()).isFalse());
            holder.kill();
            assertThat(scene.leaseMillis("order")).isPositive();
            waiter.join();
        }
    }

    @Test
    void frozenForLongerThanItsLease_isToldLostAndItsWriteIsRefused() throws Exception {
        try (JavaProcess holder = start(Scene.SHORT_LEASE);
                RedisLockClient client = scene.directClient().build()) {
            long token = Long.parseLong(holder.readLine(START));
            holder.writeLine("write");
            assertThat(holder.readLine(ANSWER)).isEqualTo("true");
            holder.suspend();
            ReentrantRedisLock lock = client.get("order");
            lock.lock();
            assertThat(lock.fencingToken()).isGreaterThan(token);
            assertThat(HolderJvm.fencedWrite(scene.redis.uri(), resource, lock.fencingToken()))
                    .isTrue();
            holder.writeLine("write"); // what it was about to do when it was frozen
            holder.writeLine("held");
            holder.writeLine("unlock");
            holder.resume();
            assertThat(holder.readLine(ANSWER)).as("its write").isEqualTo("false");
            assertThat(holder.readLine(ANSWER)).as("whether it holds").isEqualTo("false");
            assertThat(holder.readLine(ANSWER)).as("its unlock").isEqualTo("lost");
            assertThat(lock.isHeldByCurrentThread()).isTrue();
            lock.unlock(); // would say that the hold was lost
        }
    }

    private JavaProcess start(Duration lease) {
        return JavaProcess.start(
                HolderJvm.class,
                scene.redis.uri().toString(),
                scene.prefix,
                String.valueOf(lease.toMillis()),
                resource);
    }
}
