package org.redislocked.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.ObservesAsync;
import jakarta.inject.Inject;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.redislocked.Hold;
import org.redislocked.LockLost;
import org.redislocked.RedisLockLostException;
import org.redislocked.RedisLocked;
import org.redislocked.RedisLocks;
import org.redislocked.testing.RecordedLog;
import redis.clients.jedis.RedisClient;

/** An application is told of its lost holds while their owners still work. */
@Timeout(30)
class LockLostEventTest {

    private static final BlockingQueue<LockLost> OBSERVED = new LinkedBlockingQueue<>();

    @ApplicationScoped
    static class Observer {
        void lost(@ObservesAsync LockLost loss) {
            OBSERVED.add(loss);
            throw new IllegalStateException("an observer's fault");
        }
    }

    @ApplicationScoped
    static class Shop {
        @Inject
        RedisLocks locks;

        @RedisLocked("order")
        void workUntilLost(Runnable removeLock, CountDownLatch lost) throws InterruptedException {
            Hold hold = locks.current().orElseThrow();
            hold.onLost(loss -> lost.countDown());
            removeLock.run();
            lost.await();
        }
    }

    @Test
    void lockIsRemoved_observersAreToldWhileTheMethodRuns() throws Exception {
        Map<String, String> config = TestApplication.config();
        config.put("redis-lock.lease-time", "1s");
        try (RecordedLog log = new RecordedLog();
                TestApplication application = TestApplication.deploy(config, Shop.class, Observer.class);
                RedisClient redis = RedisClient.create(config.get("redis-lock.uri"))) {
            Shop shop = application.get(Shop.class);
            String key = config.get("redis-lock.key-prefix") + "order";
            assertThatExceptionOfType(RedisLockLostException.class)
                    .isThrownBy(() -> shop.workUntilLost(() -> redis.del(key), new CountDownLatch(1)));
            LockLost loss = OBSERVED.poll(20, TimeUnit.SECONDS);
            assertThat(loss).isNotNull();
            assertThat(loss.lockName()).isEqualTo("order");
            assertThat(loss.ownerStackTrace())
                    .anyMatch(frame -> frame.getMethodName().equals("workUntilLost"));
            while (log.lines().stream().noneMatch(line -> line.startsWith("SEVERE An observer failed on: Hold "))) {
                Thread.onSpinWait(); // it is logged after the observer has thrown
            }
            assertThat(OBSERVED).isEmpty();
        }
    }
}
