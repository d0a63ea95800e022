package org.redislocked.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.redislocked.LockHolder;
import org.redislocked.RedisLockTimeoutException;
import org.redislocked.RedisLocked.Busy;
import org.redislocked.ReentrantRedisLock;

/** What is said of a lock that was not to be had. */
class LockedMethodTest {
    private static final String HEAD =
            "Lock 'order' was not to be had within 60 s; org.redislocked.cdi.LockedMethodTest" + ".pay() was not run. ";

    void pay() {}

    @Test
    void timeout_whileHeld_namesTheHolder() {
        assertThat(timeout(
                        () -> Optional.of(new LockHolder("a:1:2", 3, Duration.ofSeconds(20), Duration.ofMillis(2500)))))
                .hasMessage(HEAD + "It is held by a:1:2 for 2.5 s, entered 3 times; its lease ends in 20 s unless"
                        + " renewed.");
    }

    @Test
    void timeout_heldForAnUnknownTime_saysNothingOfIt() {
        assertThat(timeout(() -> Optional.of(new LockHolder("a:1:2", 1, Duration.ofMillis(-1), Duration.ZERO))))
                .hasMessage(HEAD + "It is held by a:1:2, entered once; its key has no time to live, so this library did"
                        + " not write it.");
    }

    @Test
    void timeout_releasedMeanwhile_saysSo() {
        assertThat(timeout(Optional::empty))
                .hasMessage(HEAD + "It was released a moment ago: others waited for it, too.");
    }

    @Test
    void timeout_holderNotToBeHad_isATimeoutAllTheSame() {
        IllegalStateException failure = new IllegalStateException("no answer");

        assertThat(timeout(() -> {
                    throw failure;
                }))
                .isInstanceOf(RedisLockTimeoutException.class)
                .hasMessage(HEAD + "Who holds it is not known: no answer")
                .hasSuppressedException(failure);
    }

    private static Throwable timeout(Callable<Optional<LockHolder>> holder) {
        ReentrantRedisLock lock = (ReentrantRedisLock) Proxy.newProxyInstance(
                LockedMethodTest.class.getClassLoader(),
                new Class<?>[] {ReentrantRedisLock.class},
                (proxy, method, arguments) -> holder.call());
        return catchThrowable(() -> new LockedMethod(
                        LockedMethodTest.class.getDeclaredMethod("pay"),
                        "order",
                        Duration.ofSeconds(60).toNanos(),
                        LockedMethod.RENEWED,
                        true,
                        Busy.THROW)
                .busy(lock));
    }
}
