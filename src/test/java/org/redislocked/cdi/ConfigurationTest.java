package org.redislocked.cdi;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.redislocked.RedisLocked;
import org.redislocked.testing.RecordedLog;

class ConfigurationTest {
    private final Problems problems = new Problems();

    @Test
    void readme_hasEachKey() throws IOException {
        String table = Files.readString(Path.of("README.md"));
        assertThat(Configuration.names()).allSatisfy(name -> assertThat(table).contains("`" + name + "`"));
    }

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
    void value_thatRefersToNothing_isAProblemAndNotTheDefault() {
        Map<String, String> config = new LinkedHashMap<>();
        config.put("redis-lock.uri", "${no.such.variable}");
        config.put("redis-lock.scheduler", "${no.such.variable}");
        config.put("shop.lock", "${no.such.variable}");
        String refers = "refers to something that is not set; set that, or give it a default: ${…:default}";

        assertThat(TestApplication.failure(config, Shop.class))
                .contains(Shop.class.getName() + ".pay(): @RedisLocked: '${shop.lock}' " + refers)
                .contains("redis-lock.scheduler: its value " + refers)
                .contains("redis-lock.uri: its value " + refers);
    }

    @ApplicationScoped
    static class Shop {
        @RedisLocked("${shop.lock:x}")
        void pay() {}
    }

    @Test
    void values_outOfBounds_areToldAllAtOnce() {
        Map<String, String> config = Map.of(
                "redis-lock.uri", "http://localhost",
                "redis-lock.username", "needs a password, as only the whole can tell",
                "redis-lock.tls.trust-store-password", "needs a store, as only the whole can tell",
                "redis-lock.lease-time", "100ms",
                "redis-lock.pool.max-size", "0",
                "redis-lock.poll-interval", "1h");

        new Configuration(new FixedValues(config)).builder(problems);

        assertThat(problems.report().orElse("").lines().skip(1))
                .hasSize(4)
                .contains("  - redis-lock.lease-time: PT0.1S is not allowed; it must be from PT1S to PT8760H")
                .contains("  - redis-lock.pool.max-size: 0 is not allowed; it must be from 1 to 1000")
                .contains("  - redis-lock.poll-interval: PT1H is not allowed; it must be from PT0.01S to PT1M")
                .anyMatch(line -> line.startsWith("  - redis-lock.uri: the scheme 'http' is unknown"));
    }
}
