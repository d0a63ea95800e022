package org.redislocked.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.redislocked.redis.RedisStores.call;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.redislocked.core.LockStore.Subscription;
import org.redislocked.testing.TestRedis;

@Timeout(30)
class SignalListenerTest {

    private static final Duration LIMIT = Duration.ofSeconds(10);

    private final String channel = "redis-lock:~channel:" + UUID.randomUUID();
    private final Semaphore wakeUps = new Semaphore(0);
    private final String threadName = "signals-" + UUID.randomUUID();
    private final AtomicInteger attempts = new AtomicInteger();
    private TestRedis redis;
    private SignalListener listener;

    @BeforeEach
    void start() {
        redis = TestRedis.start();
        listener = listener(SignalListener.QUIET);
    }

    @AfterEach
    void stop() {
        listener.close();
        redis.close();
    }

    @Test
    void subscription_onceConfirmed_isActiveAndWakesOnce() throws InterruptedException {
        Subscription subscription = listener.subscribe(channel, wakeUps::release);

        await(1);
        assertThat(subscription.isActive()).isTrue();
        assertThat(subscribers(channel)).isEqualTo(1);
    }

    @Test
    void message_whenPublished_wakesItsChannelOnly() throws InterruptedException {
        Semaphore others = new Semaphore(0);
        listener.subscribe(channel, wakeUps::release);
        listener.subscribe(channel + "-other", others::release);
        await(1);
        await(others, 1);

        publish(channel);
        await(1);
        publish(channel + "-other");
        await(others, 1);

        assertThat(wakeUps.availablePermits()).isZero();
    }

    @Test
    void subscriptions_ofOneChannel_areOneInRedisUntilTheLastIsClosed() throws InterruptedException {
        Subscription first = listener.subscribe(channel, wakeUps::release);
        await(1);
        Subscription second = listener.subscribe(channel, wakeUps::release);
        await(1); // at once: it is active thanks to the first
        assertThat(second.isActive()).isTrue();

        first.close();
        publish(channel);
        await(1);
        second.close();

        assertThat(wakeUps.availablePermits()).isZero();
        awaitSubscribers(channel, 0);
        assertThat(subscribers("idle")).isEqualTo(1);
    }

    @Test
    void subscription_whenClosedAndOpenedAgain_isActiveAgain() throws InterruptedException {
        for (int i = 0; i < 100; i++) {
            listener.subscribe(channel, () -> {}).close();
        }

        Subscription last = listener.subscribe(channel, wakeUps::release);

        await(1);
        assertThat(last.isActive()).isTrue();
        publish(channel);
        await(1);
    }

    @Test
    void subscriptions_beyondTheWindow_areAllConfirmed() throws InterruptedException {
        int many = 2_000;
        List<Subscription> subscriptions = IntStream.range(0, many)
                .mapToObj(i -> listener.subscribe(channel + i, wakeUps::release))
                .toList();

        await(many);
        assertThat(subscriptions).allMatch(Subscription::isActive);
        subscriptions.forEach(Subscription::close);
        awaitSubscribers(channel + (many - 1), 0);
        awaitSubscribers(channel + 0, 0);
    }

    @Test
    void connection_whenKilled_isMadeAgainAndWakesEverybody() throws InterruptedException {
        try (CapturedLog log = new CapturedLog(message -> {})) {
            Subscription subscription = listener.subscribe(channel, wakeUps::release);
            await(1);
            assertThat(log).isNotNull();

            call(redis, "CLIENT", "KILL", "TYPE", "pubsub");

            await(2); // lost, and confirmed again
            assertThat(subscription.isActive()).isTrue();
            publish(channel);
            await(1);
        }
    }

    @Test
    void redis_whenRestarted_isFoundAgainWithOneWarning() throws InterruptedException {
        List<String> warnings = new ArrayList<>();
        try (CapturedLog log = new CapturedLog(warnings::add)) {
            Subscription subscription = listener.subscribe(channel, wakeUps::release);
            await(1);
            assertThat(log).isNotNull();

            redis.stop();
            await(1);
            assertThat(subscription.isActive()).isFalse();
            int attemptsSoFar = attempts.get();
            RedisStores.await(() -> attempts.get() > attemptsSoFar + 2);
            redis.restart();

            await(1);
            assertThat(subscription.isActive()).isTrue();
            assertThat(warnings).singleElement().asString().contains("does not signal released locks at present");
        }
    }

    @Test
    void connection_whenQuiet_isTriedAndKept() throws InterruptedException {
        listener = listener(Duration.ofMillis(300));
        Subscription subscription = listener.subscribe(channel, wakeUps::release);
        await(1);
        String connection = connectionId();

        for (int i = 0; i < 3; i++) {
            RedisStores.await(() -> lastCommand().equals("ping"));
            listener.subscribe(channel + i, wakeUps::release);
            await(1);
        }

        assertThat(connectionId()).isEqualTo(connection);
        assertThat(subscription.isActive()).isTrue();
        assertThat(wakeUps.availablePermits()).isZero();
    }

    @Test
    void connection_whenRedisHangs_isGivenUpAndMadeAgain() throws InterruptedException {
        try (CapturedLog log = new CapturedLog(message -> {})) {
            listener = listener(Duration.ofMillis(20));
            Subscription subscription = listener.subscribe(channel, wakeUps::release);
            await(1);
            assertThat(log).isNotNull();

            redis.suspend();
            await(1);
            assertThat(subscription.isActive()).isFalse();
            redis.resume();

            await(1);
            assertThat(subscription.isActive()).isTrue();
        }
    }

    @Test
    void channel_whenAllowedLater_becomesActive() throws InterruptedException {
        call(redis, "ACL", "SETUSER", "default", "resetchannels");
        Semaphore warned = new Semaphore(0);
        try (CapturedLog log = new CapturedLog(message -> warned.release())) {
            assertThat(log).isNotNull();
            listener = listener(Duration.ofMillis(20));
            Subscription subscription = listener.subscribe(channel, wakeUps::release);
            await(warned, 1);
            assertThat(subscription.isActive()).isFalse();

            call(redis, "ACL", "SETUSER", "default", "allchannels");

            await(1);
            assertThat(subscription.isActive()).isTrue();
            assertThat(warned.availablePermits()).isZero();
        }
    }

    @Test
    void redis_whenNotThere_doesNotHoldUpSubscribing() throws InterruptedException {
        redis.suspend();

        Subscription subscription = listener.subscribe(channel, wakeUps::release);
        assertThat(subscription.isActive()).isFalse();
        redis.resume();

        await(1);
        assertThat(subscription.isActive()).isTrue();
    }

    @Test
    void thread_ofTheListener_inheritsNothing() throws InterruptedException {
        ClassLoader[] seen = new ClassLoader[1];
        Thread.currentThread().setContextClassLoader(null);
        try {
            listener.subscribe(channel, () -> {
                seen[0] = Thread.currentThread().getContextClassLoader();
                wakeUps.release();
            });
            await(1);
        } finally {
            Thread.currentThread().setContextClassLoader(SignalListenerTest.class.getClassLoader());
        }

        assertThat(seen[0]).isSameAs(SignalListener.class.getClassLoader());
        assertThat(thread()).isNotNull().matches(Thread::isDaemon);
    }

    @Test
    void close_whenConnected_leavesNeitherThreadNorConnection() throws InterruptedException {
        Subscription subscription = listener.subscribe(channel, wakeUps::release);
        await(1);

        listener.close();
        listener.close();

        assertThat(thread()).isNull();
        assertThat(subscription.isActive()).isFalse();
        awaitSubscribers("idle", 0);
        listener.subscribe(channel, () -> {}).close();
        assertThat(thread()).isNull();
    }

    @Test
    void close_whilePausingBetweenAttempts_endsAtOnce() throws InterruptedException {
        Semaphore failed = new Semaphore(0);
        redis.stop();
        try (CapturedLog log = new CapturedLog(message -> failed.release())) {
            assertThat(log).isNotNull();
            listener.subscribe(channel, wakeUps::release);
            await(failed, 1);

            listener.close();

            assertThat(thread()).isNull();
        }
    }

    @Test
    void close_whenNeverUsed_doesNothing() {
        listener.close();

        assertThat(thread()).isNull();
    }

    @Test
    void close_byAWakeUp_doesNotWaitForItself() throws InterruptedException {
        listener.subscribe(channel, () -> {
            listener.close();
            wakeUps.release();
        });

        await(1);
    }

    private SignalListener listener(Duration quiet) {
        ConnectionSettings settings = RedisStores.client(redis).connection();
        Connections connections = new Connections(settings, new Refusals(settings));
        Supplier<OwnConnection> connector = () -> {
            attempts.incrementAndGet();
            return connections.open();
        };
        return new SignalListener(connector, Duration.ofSeconds(4), quiet, "idle", threadName);
    }

    /** {@return how Redis calls the connection that is subscribed} */
    private String connectionId() {
        return ((String) call(redis, "CLIENT", "LIST", "TYPE", "pubsub")).replaceAll("(?s) .*", "");
    }

    private String lastCommand() {
        return ((String) call(redis, "CLIENT", "LIST", "TYPE", "pubsub")).replaceAll("(?s).* cmd=(\\S+).*", "$1");
    }

    private Thread thread() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(each -> each.getName().equals(threadName))
                .findAny()
                .orElse(null);
    }

    private void publish(String name) {
        call(redis, "PUBLISH", name, "");
    }

    private long subscribers(String name) {
        return (Long) ((List<?>) call(redis, "PUBSUB", "NUMSUB", name)).get(1);
    }

    private void awaitSubscribers(String name, long count) {
        RedisStores.await(() -> subscribers(name) == count);
    }

    private void await(int count) throws InterruptedException {
        await(wakeUps, count);
    }

    private static void await(Semaphore semaphore, int count) throws InterruptedException {
        assertThat(semaphore.tryAcquire(count, LIMIT.toMillis(), TimeUnit.MILLISECONDS))
                .isTrue();
    }
}
