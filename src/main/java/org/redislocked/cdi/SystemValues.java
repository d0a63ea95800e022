package org.redislocked.cdi;

import java.util.Locale;
import java.util.Optional;

/** System properties, then environment variables named as in MicroProfile Config: {@code REDIS_LOCK_URI}. */
final class SystemValues implements ConfigValues {

    @Override
    public Optional<String> get(String key) {
        return Optional.ofNullable(System.getProperty(key))
                .or(() -> Optional.ofNullable(System.getenv(environmentName(key))));
    }

    @Override
    public Iterable<String> keys() {
        return System.getProperties().stringPropertyNames();
    }

    /** {@return the environment variable that stands for the key} */
    static String environmentName(String key) {
        return key.replaceAll("[^A-Za-z0-9]", "_").toUpperCase(Locale.ROOT);
    }
}
