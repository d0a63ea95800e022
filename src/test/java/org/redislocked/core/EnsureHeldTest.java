package org.redislocked.core;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.redislocked.core.FaultyStore.Operation.RENEW;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.redislocked.Hold;
import org.redislocked.RedisLockLostException;
import org.redislocked.RedisLockUnavailableException;

/** The check point of long work. */
class EnsureHeldTest extends EngineTest {

    private Hold held() {
        lock.lock();
        return engine.current().orElseThrow();
    }

    @Test
    void enoughIsLeft_redisIsNotAsked() {
        Hold hold = held();
        hold.ensureHeld(Duration.ofSeconds(20));
        hold.ensureHeld(Duration.ZERO);
        hold.ensureHeld(Duration.ofSeconds(Long.MIN_VALUE));
        assertThat(store.count(RENEW)).isZero();
    }

    @Test
    void littleIsLeft_isRenewedOnce() {
        Hold hold = held();
        time.jump(Duration.ofSeconds(20));
        hold.ensureHeld(Duration.ofSeconds(15));
        assertThat(store.count(RENEW)).isOne();
        assertThat(hold.remainingLease()).isGreaterThan(Duration.ofSeconds(29));
    }

    @Test
    void longerThanTheLease_redisKeepsItForSoLong() {
        Hold hold = held();
        // even if the answer takes all the time it may
        store.after(RENEW, () -> time.jump(SETTINGS.operationTimeout()));
        hold.ensureHeld(Duration.ofMinutes(5));
        assertThat(store.count(RENEW)).isOne();
        assertThat(hold.remainingLease()).isGreaterThanOrEqualTo(Duration.ofMinutes(5));
        assertThat(lock.holder().orElseThrow().remainingLease()).isGreaterThan(Duration.ofMinutes(5));
    }

    @Test
    void explicitLease_isExtendedAsWell() {
        lock.lock(10, SECONDS);
        Hold hold = engine.current().orElseThrow();
        hold.ensureHeld(Duration.ofSeconds(60));
        assertThat(hold.remainingLease()).isGreaterThanOrEqualTo(Duration.ofSeconds(60));
    }

    @Test
    void fromAnotherThread_isTheSame() throws Exception {
        Hold hold = held();
        Party.running(() -> hold.ensureHeld(Duration.ofMinutes(1))).result();
        assertThat(hold.remainingLease()).isGreaterThanOrEqualTo(Duration.ofMinutes(1));
    }

    @Test
    void redisFailsForAWhile_isTriedAgain() {
        Hold hold = held();
        store.unreachable(RENEW, 2).answerLost(RENEW);
        hold.ensureHeld(Duration.ofMinutes(1));
        assertThat(store.count(RENEW)).isEqualTo(2);
        assertThat(hold.remainingLease()).isGreaterThanOrEqualTo(Duration.ofMinutes(1));
    }

    @Test
    void lostAlready_isTold() {
        Hold hold = held();
        time.jump(LEASE);
        assertThatExceptionOfType(RedisLockLostException.class).isThrownBy(() -> hold.ensureHeld(Duration.ZERO));
        assertThat(store.count(RENEW)).isZero();
    }

    @Test
    void redisNoLongerKnowsIt_isLost() {
        Hold hold = held();
        memory.release("order", lock.holder().orElseThrow().grantId());
        assertThatExceptionOfType(RedisLockLostException.class)
                .isThrownBy(() -> hold.ensureHeld(Duration.ofMinutes(1)))
                .withMessageContaining("no longer knew it");
        assertThat(lock.isHeldByCurrentThread()).isFalse();
    }

    @Test
    void answerAfterTheDeadline_isLost() {
        Hold hold = held();
        store.after(RENEW, () -> time.jump(LEASE));
        assertThatExceptionOfType(RedisLockLostException.class)
                .isThrownBy(() -> hold.ensureHeld(Duration.ofMinutes(1)));
    }

    @Test
    void redisAwayUntilTheDeadline_isLost() {
        Hold hold = held();
        time.jump(Duration.ofSeconds(25));
        store.unreachable(RENEW, 1).before(RENEW, () -> {
            time.jump(Duration.ofSeconds(5));
            throw new StoreException(StoreException.Kind.UNREACHABLE, "Redis is down.", null);
        });
        assertThatExceptionOfType(RedisLockLostException.class)
                .isThrownBy(() -> hold.ensureHeld(Duration.ofSeconds(20)));
        assertThat(store.instructionsLeft(RENEW)).isZero();
    }

    @Test
    void redisAwayForTheUnavailableTimeout_saysSoWhileStillHeld() {
        Hold hold = held();
        store.before(RENEW, () -> {
            time.jump(SETTINGS.unavailableTimeout());
            throw new StoreException(StoreException.Kind.UNREACHABLE, "Redis is down.", null);
        });
        assertThatExceptionOfType(RedisLockUnavailableException.class)
                .isThrownBy(() -> hold.ensureHeld(Duration.ofMinutes(1)))
                .withMessageContaining("'order'")
                .withMessageContaining("Redis is down.");
        assertThat(lock.isHeldByCurrentThread()).isTrue();
    }

    @Test
    void redisRefuses_saysSoAtOnce() {
        Hold hold = held();
        store.before(RENEW, () -> {
            throw new StoreException(StoreException.Kind.REFUSED, "No permission.", null);
        });
        assertThatExceptionOfType(RedisLockUnavailableException.class)
                .isThrownBy(() -> hold.ensureHeld(Duration.ofMinutes(1)))
                .withMessageContaining("No permission.");
    }

    @Test
    void ended_isAnIllegalState() {
        Hold hold = held();
        lock.unlock();
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> hold.ensureHeld(Duration.ZERO))
                .withMessageContaining("has ended");
    }

    @Test
    void tooLong_isRefused() {
        Hold hold = held();
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> hold.ensureHeld(Duration.ofDays(366)));
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> hold.ensureHeld(Duration.ofSeconds(Long.MAX_VALUE)));
    }

    @Test
    void interrupted_goesOnAndKeepsTheStatus() {
        Hold hold = held();
        store.unreachable(RENEW, 1);
        Thread.currentThread().interrupt();
        hold.ensureHeld(Duration.ofMinutes(1));
        assertThat(Thread.interrupted()).isTrue();
        assertThat(hold.remainingLease()).isGreaterThanOrEqualTo(Duration.ofMinutes(1));
    }

    @Test
    void oneTry_leavesTheConnectionToTheOtherRenewalsSoon() {
        List<Duration> limits = new ArrayList<>();
        Hold hold = held();
        store.renewalLimits(limits::add);
        hold.ensureHeld(Duration.ofMinutes(1));
        time.jump(hold.remainingLease().minusMillis(500));
        hold.ensureHeld(Duration.ofMinutes(1));
        assertThat(limits).containsExactly(SETTINGS.operationTimeout(), Duration.ofMillis(500));
    }
}
