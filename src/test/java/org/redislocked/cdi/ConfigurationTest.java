package org.redislocked.cdi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class ConfigurationTest {
    private final Problems problems = new Problems();

    @Test
    void keys_known_areNoProblem() {
        try (var log = new RecordedLog()) {
            Map<String, String> all = Map.ofEntries(
                    Map.entry("redis-lock.uri", "redis://localhost"),
                    Map.entry("redis-lock.username", "u"),
                    Map.entry("redis-lock.password", "p"),
                    Map.entry("redis-lock.tls.trust-store", "t.p12"),
                    Map.entry("redis-lock.tls.trust-store-password", "p"),
                    Map.entry("redis-lock.tls.key-store", "k.p12"),
                    Map.entry("redis-lock.tls.key-store-password", "p"),
                    Map.entry("redis-lock.tls.verify-host-name", " true "),
                    Map.entry("redis-lock.lease-time", "30s"),
                    Map.entry("redis-lock.key-prefix", "x:"),
                    Map.entry("redis-lock.client-name", "n"),
                    Map.entry("redis-lock.scheduler", "none"),
                    Map.entry("redis-lock.connect-timeout", "2s"),
                    Map.entry("redis-lock.command-timeout", "2s"),
                    Map.entry("redis-lock.pool.max-size", "8"),
                    Map.entry("redis-lock.pool.max-wait", "2s"),
                    Map.entry("redis-lock.poll-interval", "1s"),
                    Map.entry("redis-lock.unavailable-timeout", "10s"),
                    Map.entry("redis-lock.shutdown-timeout", "5s"),
                    Map.entry("redis-locks.other", "x"));
            Configuration configuration = new Configuration(new FixedValues(all));

            configuration.checkKeys(problems);
            configuration.builder(problems);

            assertThat(problems.report()).isEmpty();
            assertThat(log.lines()).isEmpty();
        }
    }

    @Test
    void key_unknown_warnsWithTheNearest() {
        try (var log = new RecordedLog()) {
            new Configuration(new FixedValues(Map.of("redis-lock.leasetime", "30s", "redis-lock.pool.size", "1")))
                    .checkKeys(problems);

            assertThat(log.lines())
                    .containsExactly(
                            "WARNING Configuration key redis-lock.leasetime is unknown and has no effect; did you mean"
                                    + " redis-lock.lease-time?",
                            "WARNING Configuration key redis-lock.pool.size is unknown and has no effect; did you mean"
                                    + " redis-lock.pool.max-size?");
        }
    }

    @Test
    void value_empty_meansTheDefault() {
        new Configuration(new FixedValues(Map.of("redis-lock.lease-time", " ", "redis-lock.pool.max-size", "")))
                .builder(problems);

        assertThat(problems.report()).isEmpty();
    }

    @Test
    void scheduler_noneOrEmpty_isNotLookedUp() {
        for (String value : new String[] {"none", "", " "}) {
            var scheduler = new Configuration(new FixedValues(Map.of("redis-lock.scheduler", value))).scheduler();

            assertThat(scheduler.get()).isNull();
            assertThat(scheduler).hasToString("a thread of its own");
        }
    }
}
