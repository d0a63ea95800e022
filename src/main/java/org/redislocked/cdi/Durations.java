package org.redislocked.cdi;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as people write them in a configuration and read them in a message. */
final class Durations {

    // twelve digits of hours still fit into a Duration
    private static final Pattern NUMBER_AND_UNIT = Pattern.compile("(\\d{1,12})\\s*(ms|s|m|h)");

    private static final Pattern BARE_NUMBER = Pattern.compile("[-+]?[\\d.]+");

    private Durations() {}

    /** Reads {@code 500ms}, {@code 30s}, {@code 2m}, {@code 1h} or ISO-8601. */
    static Duration parse(String text) {
        String trimmed = text.trim();
        Matcher matcher = NUMBER_AND_UNIT.matcher(trimmed);
        if (matcher.matches()) {
            long number = Long.parseLong(matcher.group(1));
            return switch (matcher.group(2)) {
                case "ms" -> Duration.ofMillis(number);
                case "s" -> Duration.ofSeconds(number);
                case "m" -> Duration.ofMinutes(number);
                default -> Duration.ofHours(number);
            };
        }
        if (BARE_NUMBER.matcher(trimmed).matches()) {
            throw new IllegalArgumentException(
                    "'" + trimmed + "' has no unit; write " + trimmed + "s or " + trimmed + "ms");
        }
        try {
            return Duration.parse(trimmed);
        } catch (DateTimeParseException e) {
            throw new IllegalArgumentException(
                    "'" + trimmed + "' is not a duration; write it as 500ms, 30s, 2m, 1h or in ISO-8601 as PT30S", e);
        }
    }

    /** For messages: {@code 250 ms}, {@code 12.3 s}, {@code 60 s}. */
    static String format(Duration duration) {
        long millis = duration.toMillis();
        if (Math.abs(millis) < 1000) {
            return millis + " ms";
        }
        return millis % 1000 == 0 ? millis / 1000 + " s" : String.format(Locale.ROOT, "%.1f s", millis / 1000.0);
    }
}
