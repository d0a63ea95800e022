package org.redislocked.cdi;

import static java.util.Map.entry;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.redislocked.redis.RedisLockClient;

/** What can be configured: the only home of the keys. */
final class Configuration {

    private static final Logger LOG = System.getLogger("org.redislocked");

    private static final String PREFIX = "redis-lock.";
    private static final String SCHEDULER = "scheduler";
    private static final String DEFAULT_SCHEDULER = "java:comp/DefaultManagedScheduledExecutorService";
    private static final String NO_SCHEDULER = "none";

    /** Hands the text of a value over to the builder. */
    private interface Setter extends BiConsumer<RedisLockClient.Builder, String> {}

    private static final Map<String, Setter> SETTERS = Map.ofEntries(
            entry("uri", text(RedisLockClient.Builder::uri)),
            entry("username", text(RedisLockClient.Builder::username)),
            entry("password", RedisLockClient.Builder::password),
            entry("tls.trust-store", path(RedisLockClient.Builder::trustStore)),
            entry("tls.trust-store-password", RedisLockClient.Builder::trustStorePassword),
            entry("tls.key-store", path(RedisLockClient.Builder::keyStore)),
            entry("tls.key-store-password", RedisLockClient.Builder::keyStorePassword),
            entry("tls.verify-host-name", bool(RedisLockClient.Builder::verifyHostName)),
            entry("key-prefix", text(RedisLockClient.Builder::keyPrefix)),
            entry("client-name", text(RedisLockClient.Builder::clientName)),
            entry("lease-time", duration(RedisLockClient.Builder::leaseTime)),
            entry("connect-timeout", duration(RedisLockClient.Builder::connectTimeout)),
            entry("command-timeout", duration(RedisLockClient.Builder::commandTimeout)),
            entry("pool.max-size", number(RedisLockClient.Builder::poolSize)),
            entry("pool.max-wait", duration(RedisLockClient.Builder::poolWait)),
            entry("poll-interval", duration(RedisLockClient.Builder::pollInterval)),
            entry("unavailable-timeout", duration(RedisLockClient.Builder::unavailableTimeout)),
            entry("shutdown-timeout", duration(RedisLockClient.Builder::shutdownTimeout)),
            entry("max-hold-time", duration(RedisLockClient.Builder::maxHoldTime)),
            entry("leak-detection-threshold", duration(RedisLockClient.Builder::leakDetectionThreshold)));

    private final ConfigValues values;

    Configuration(ConfigValues values) {
        this.values = values;
    }

    /** Looks at the keys that are set: warns of mistyped ones, refuses what is kept for later versions. */
    void checkKeys(Problems problems) {
        for (String key : new TreeSet<>(
                StreamSupport.stream(values.keys().spliterator(), false).collect(Collectors.toSet()))) {
            if (key.contains("/RedisLocked/") || key.startsWith("RedisLocked/")) {
                problems.add(
                        key,
                        "configuration of single methods is not yet supported by this version;"
                                + " remove it and set the member of @RedisLocked");
            } else if (key.startsWith(PREFIX + "connections.")) {
                problems.add(key, "further connections are not yet supported by this version; remove it");
            } else if (key.startsWith(PREFIX) && !isKnown(key.substring(PREFIX.length())) && !isEnvironment(key)) {
                LOG.log(
                        Level.WARNING,
                        "Configuration key " + key + " is unknown and has no effect; did you mean " + PREFIX
                                + nearest(key.substring(PREFIX.length())) + "?");
            }
        }
    }

    /** {@return a builder with all that is configured} What is wrong goes to the problems. */
    RedisLockClient.Builder builder(Problems problems) {
        RedisLockClient.Builder builder = RedisLockClient.builder();
        SETTERS.forEach((name, setter) -> {
            try {
                value(name).ifPresent(value -> {
                    tryAlone(name, value, setter);
                    setter.accept(builder, value);
                });
            } catch (IllegalArgumentException e) {
                problems.add(PREFIX + name, String.valueOf(e.getMessage()));
            } catch (NoSuchElementException e) {
                problems.add(unresolved(name, e));
            }
        });
        return builder;
    }

    /**
     * Has a client refuse what is wrong with the value in itself, so that it is told with all other problems. What is
     * wrong with it beside other values, whose refusal begins with another key, only the whole can tell.
     */
    private static void tryAlone(String name, String value, Setter setter) {
        RedisLockClient.Builder alone = RedisLockClient.builder().uri("memory:");
        setter.accept(alone, value);
        try {
            alone.build().close(); // has not connected
        } catch (IllegalArgumentException e) {
            String refusal = String.valueOf(e.getMessage());
            if (refusal.startsWith(name + ": ")) {
                throw new IllegalArgumentException(refusal.substring(name.length() + 2), e);
            }
        }
    }

    /** {@return how to get the container's scheduler} What is wrong goes to the problems. */
    SchedulerLookup scheduler(Problems problems) {
        String configured = DEFAULT_SCHEDULER;
        try {
            configured = value(SCHEDULER).map(String::trim).orElse(DEFAULT_SCHEDULER);
        } catch (NoSuchElementException e) {
            problems.add(unresolved(SCHEDULER, e));
        }
        return new SchedulerLookup(
                configured.equals(NO_SCHEDULER) ? "" : configured, !configured.equals(DEFAULT_SCHEDULER));
    }

    /** Tells if the locks stay inside this JVM. */
    void warnOfMemory() {
        if (value("uri").filter(uri -> uri.trim().startsWith("memory:")).isPresent()) {
            LOG.log(
                    Level.WARNING,
                    PREFIX + "uri is memory: – locks are shared by no other JVM; for tests and development only");
        }
    }

    /** {@return the refusal of the builder, which begins with the name of a key, as a problem} */
    static String withPrefix(IllegalArgumentException refusal) {
        return PREFIX + refusal.getMessage();
    }

    private Optional<String> value(String name) {
        return values.get(PREFIX + name).filter(value -> !value.isBlank());
    }

    private static String unresolved(String name, NoSuchElementException reason) {
        return PREFIX + name + ": its value " + reason.getMessage();
    }

    private static boolean isKnown(String name) {
        return SETTERS.containsKey(name) || name.equals(SCHEDULER);
    }

    /** Some implementations list an environment variable such as REDIS_LOCK_LEASE_TIME under a name they guess. */
    private static boolean isEnvironment(String key) {
        return System.getenv().containsKey(SystemValues.environmentName(key));
    }

    private static String nearest(String name) {
        return Spelling.nearest(name, names());
    }

    /** {@return all keys, without the prefix} */
    static SortedSet<String> names() {
        var names = new TreeSet<>(SETTERS.keySet());
        names.add(SCHEDULER);
        return names;
    }

    private static Setter text(BiConsumer<RedisLockClient.Builder, String> setter) {
        return (builder, value) -> setter.accept(builder, value.trim());
    }

    private static Setter path(BiConsumer<RedisLockClient.Builder, Path> setter) {
        return (builder, value) -> setter.accept(builder, Path.of(value.trim()));
    }

    private static Setter duration(BiConsumer<RedisLockClient.Builder, Duration> setter) {
        return (builder, value) -> setter.accept(builder, Durations.parse(value));
    }

    private static Setter number(BiConsumer<RedisLockClient.Builder, Integer> setter) {
        return (builder, value) -> {
            try {
                setter.accept(builder, Integer.valueOf(value.trim()));
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException("'" + value.trim() + "' is not a whole number", e);
            }
        };
    }

    private static Setter bool(BiConsumer<RedisLockClient.Builder, Boolean> setter) {
        return (builder, value) -> {
            switch (value.trim()) {
                case "true" -> setter.accept(builder, true);
                case "false" -> setter.accept(builder, false);
                default -> throw new IllegalArgumentException("'" + value.trim() + "' is neither true nor false");
            }
        };
    }
}
