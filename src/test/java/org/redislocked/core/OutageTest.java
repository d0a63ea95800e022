package org.redislocked.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class OutageTest {

    private static final long LONGEST = Duration.ofMillis(500).toNanos();

    private static final StoreException FAILURE =
            new StoreException(StoreException.Kind.UNREACHABLE, "Redis is down.", null);

    private final Outage outage = new Outage(Duration.ofNanos(LONGEST));

    @Test
    void failed_forAsLongAsTheLongest_isLong() {
        assertThat(outage.failed(0, 10, FAILURE)).isFalse();
        assertThat(outage.failed(0, LONGEST - 1, FAILURE)).isFalse();
        assertThat(outage.failed(0, LONGEST, FAILURE)).isTrue();
    }

    @Test
    void failed_pausesLongerThanTheLongest_stillBelongTogether() {
        assertThat(outage.failed(0, 10, FAILURE)).isFalse();
        assertThat(outage.failed(0, 3 * LONGEST, FAILURE)).isTrue();
    }

    @Test
    void failed_forAnother_countsFromTheFirst() {
        outage.failed(0, LONGEST - 1, FAILURE);
        assertThat(outage.failed(LONGEST - 10, LONGEST + 1, FAILURE)).isTrue();
    }

    @Test
    void failed_afterALongSilence_beginsAnew() {
        outage.failed(0, LONGEST, FAILURE);
        assertThat(outage.failed(5 * LONGEST, 5 * LONGEST + 10, FAILURE)).isFalse();
    }

    @Test
    void failed_afterAnAnswer_beginsAnew() {
        outage.failed(0, LONGEST, FAILURE);
        outage.end();
        assertThat(outage.failed(LONGEST, LONGEST + 10, FAILURE)).isFalse();
    }
}
