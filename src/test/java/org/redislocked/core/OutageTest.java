package org.redislocked.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class OutageTest {

    private static final long LONGEST = Duration.ofMillis(500).toNanos();

    private final Outage outage = new Outage(Duration.ofNanos(LONGEST));

    @Test
    void failed_forAsLongAsTheLongest_isLong() {
        assertThat(outage.failed(0, 10)).isFalse();
        assertThat(outage.failed(0, LONGEST - 1)).isFalse();
        assertThat(outage.failed(0, LONGEST)).isTrue();
    }

    @Test
    void failed_pausesLongerThanTheLongest_stillBelongTogether() {
        assertThat(outage.failed(0, 10)).isFalse();
        assertThat(outage.failed(0, 3 * LONGEST)).isTrue();
    }

    @Test
    void failed_forAnother_countsFromTheFirst() {
        outage.failed(0, LONGEST - 1);
        assertThat(outage.failed(LONGEST - 10, LONGEST + 1)).isTrue();
    }

    @Test
    void failed_afterALongSilence_beginsAnew() {
        outage.failed(0, LONGEST);
        assertThat(outage.failed(3 * LONGEST, 3 * LONGEST + 10)).isFalse();
    }

    @Test
    void failed_afterAnAnswer_beginsAnew() {
        outage.failed(0, LONGEST);
        outage.end();
        assertThat(outage.failed(LONGEST, LONGEST + 10)).isFalse();
    }
}
