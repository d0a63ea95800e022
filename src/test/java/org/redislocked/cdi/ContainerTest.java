package org.redislocked.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.control.RequestContextController;
import jakarta.inject.Inject;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.NotSerializableException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.redislocked.LockName;
import org.redislocked.RedisLockLostException;
import org.redislocked.RedisLocked;
import org.redislocked.RedisLocked.Busy;
import org.redislocked.ReentrantRedisLock;
import org.redislocked.redis.RedisLockClient;
import org.redislocked.testing.RecordedLog;
import org.redislocked.testing.TestRedis;
import redis.clients.jedis.RedisClient;

/** What the locks of a container have beyond those of a client: asynchronous methods, requests, passivation. */
class ContainerTest {

    @ApplicationScoped
    static class Shop {
        final CompletableFuture<String> work = new CompletableFuture<>();

        @Inject
        @LockName("order")
        ReentrantRedisLock lock;

        ReentrantRedisLock lock() {
            return lock;
        }

        CompletableFuture<String> work() {
            return work;
        }

        @RedisLocked("order")
        CompletionStage<String> stage() {
            return work;
        }

        @RedisLocked("order")
        CompletableFuture<String> future() {
            return work;
        }

        @RedisLocked("order")
        Object undeclared() {
            return work;
        }

        @RedisLocked("order")
        CompletionStage<String> nothing() {
            return null;
        }

        @RedisLocked(value = "order", onBusy = Busy.SKIP)
        CompletionStage<String> skipping() {
            return work;
        }
    }

    private final Map<String, String> config = TestApplication.config();
    private final TestApplication application = TestApplication.deploy(config, Shop.class);
    private final RedisLockClient otherNode = TestApplication.otherNode(config);
    private final ReentrantRedisLock elsewhere = otherNode.get("order");
    private final Shop shop = application.get(Shop.class);
    private final CompletableFuture<String> work = shop.work();

    @AfterEach
    void close() {
        otherNode.close();
        application.close();
    }

    @Test
    void completionStage_isKeptUntilComplete() {
        CompletableFuture<String> result = shop.stage().toCompletableFuture();
        assertThat(shop.lock().isHeldByCurrentThread()).isFalse();
        assertThat(elsewhere.tryLock()).isFalse();
        work.complete("done");
        assertThat(result).isCompletedWithValue("done");
        assertThat(elsewhere.isLocked()).isFalse();
    }

    @Test
    void completableFuture_isKeptUntilComplete() {
        CompletableFuture<String> result = shop.future();
        assertThat(elsewhere.tryLock()).isFalse();
        assertThat(result.cancel(true)).isTrue();
        assertThat(work).isCancelled();
        assertThat(elsewhere.isLocked()).isFalse();
    }

    @Test
    void stageThatIsNotDeclared_isKeptUntilComplete() {
        Object unused = shop.undeclared();
        assertThat(elsewhere.tryLock()).isFalse();
        work.complete("done");
        assertThat(elsewhere.isLocked()).isFalse();
    }

    @Test
    void noStage_isReleasedAtOnce() {
        assertThat(shop.nothing()).isNull();
        assertThat(elsewhere.isLocked()).isFalse();
    }

    @Test
    void lostWhileItRuns_theResultFails() {
        CompletableFuture<String> result = shop.future();
        try (RedisClient redis = RedisClient.create(TestRedis.shared().uri())) {
            redis.del(config.get("redis-lock.key-prefix") + "order");
        }
        work.complete("done");
        assertThat(catchThrowable(result::get)).hasCauseInstanceOf(RedisLockLostException.class);
    }

    @Test
    void skipped_isCompleteWithNull() {
        elsewhere.lock();
        assertThat(shop.skipping().toCompletableFuture()).isCompletedWithValue(null);
        elsewhere.unlock();
    }

    @Test
    void requestEnds_whatItHasNotUnlockedIsReleasedAndTold() {
        var request = application.get(RequestContextController.class);
        try (var log = new RecordedLog()) {
            request.activate();
            shop.lock().lock();
            shop.lock().lock();
            request.deactivate();
            assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .startsWith("SEVERE Lock 'order' was not unlocked")
                    .contains("ContainerTest.requestEnds_whatItHasNotUnlockedIsReleasedAndTold(ContainerTest.java:");
        }
        assertThat(shop.lock().isHeldByCurrentThread()).isFalse();
        assertThat(elsewhere.isLocked()).isFalse();
    }

    @Test
    void requestEnds_whatWasTakenBeforeItIsKept() {
        var request = application.get(RequestContextController.class);
        shop.lock().lock();
        request.activate();
        shop.lock().lock();
        shop.lock().unlock();
        request.deactivate();
        assertThat(shop.lock().getHoldCount()).isOne();
        shop.lock().unlock();
    }

    @Test
    void serialized_isFoundAgain() throws Exception {
        assertThat(copy(shop.lock())).isEqualTo(shop.lock());
        ReentrantRedisLock joining = shop.lock().joiningTransaction();
        assertThat(copy(joining)).isEqualTo(joining).isNotEqualTo(shop.lock());
    }

    @Test
    void serialized_withoutContainer_isRefused() {
        assertThat(catchThrowable(() -> copy(elsewhere)))
                .isInstanceOf(NotSerializableException.class)
                .hasMessageContaining("'order'");
    }

    private static Object copy(Object original) throws IOException, ClassNotFoundException {
        var bytes = new ByteArrayOutputStream();
        try (var out = new ObjectOutputStream(bytes)) {
            out.writeObject(original);
        }
        try (var in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            return in.readObject();
        }
    }
}
