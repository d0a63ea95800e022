package org.redislocked.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class OutageTest {

    private static final long LONGEST = Duration.ofMillis(500).toNanos();

    private final StoreException failure = new StoreException(StoreException.Kind.UNREACHABLE, "Redis is down.", null);

    private final Outage outage = new Outage(Duration.ofNanos(LONGEST), Duration.ofMillis(100));

    @Test
    void failed_forAsLongAsTheLongest_isLong() {
        assertThat(outage.failed(0, 10, failure)).isFalse();
        assertThat(outage.failed(0, LONGEST - 1, failure)).isFalse();
        assertThat(outage.failed(0, LONGEST, failure)).isTrue();
    }

    @Test
    void failed_pausesLongerThanTheLongest_stillBelongTogether() {
        assertThat(outage.failed(0, 10, failure)).isFalse();
        assertThat(outage.failed(0, 3 * LONGEST, failure)).isTrue();
    }

    @Test
    void failed_forAnother_countsFromTheFirst() {
        outage.failed(0, LONGEST - 1, failure);
        assertThat(outage.failed(LONGEST - 10, LONGEST + 1, failure)).isTrue();
    }

    @Test
    void failed_afterALongSilence_beginsAnew() {
        outage.failed(0, LONGEST, failure);
        assertThat(outage.failed(5 * LONGEST, 5 * LONGEST + 10, failure)).isFalse();
    }

    @Test
    void failed_afterAnAnswer_beginsAnew() {
        outage.failed(0, LONGEST, failure);
        outage.end(() -> LONGEST);
        assertThat(outage.failed(LONGEST, LONGEST + 10, failure)).isFalse();
    }

    @Test
    void failed_somebodyElseWasAnsweredMeanwhile_countsFromThen() {
        outage.failed(0, 10, failure);
        outage.end(() -> LONGEST - 10); // of another contender
        assertThat(outage.failed(0, LONGEST, failure)).isFalse();
        assertThat(outage.failed(0, 2 * LONGEST, failure)).isTrue();
    }

    @Test
    void failure_isKnownUntilAnAnswer() {
        assertThat(outage.failure(0)).isNull();
        outage.failed(0, 10, failure);
        assertThat(outage.failure(20)).isSameAs(failure);
        outage.end(() -> 30);
        assertThat(outage.failure(40)).isNull();
    }
}
