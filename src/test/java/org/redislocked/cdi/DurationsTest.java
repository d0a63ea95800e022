package org.redislocked.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationsTest {
    @ParameterizedTest
    @CsvSource({
        "500ms, PT0.5S",
        "30s, PT30S",
        "2m, PT2M",
        "1h, PT1H",
        "' 30 s ', PT30S",
        "PT1M30S, PT1M30S",
        "pt5s, PT5S"
    })
    void parse_numberWithUnitOrIso_isRead(String text, Duration expected) {
        assertThat(Durations.parse(text)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"30", "-1", "1.5"})
    void parse_bareNumber_asksForTheUnit(String text) {
        assertThatThrownBy(() -> Durations.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("'" + text + "' has no unit; write " + text + "s or " + text + "ms");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "s", "30 apples", "1234567890123s", "30S0"})
    void parse_anythingElse_saysWhatIsAllowed(String text) {
        assertThatThrownBy(() -> Durations.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("'" + text + "' is not a duration; write it as 500ms, 30s, 2m, 1h or in ISO-8601 as PT30S");
    }

    @Test
    void format_always_isShort() {
        assertThat(Durations.format(Duration.ofMillis(250))).isEqualTo("250 ms");
        assertThat(Durations.format(Duration.ofSeconds(60))).isEqualTo("60 s");
        assertThat(Durations.format(Duration.ofMillis(12_345))).isEqualTo("12.3 s");
    }
}
