package org.redislocked.cdi;

import java.util.NoSuchElementException;
import java.util.Optional;
import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.config.ConfigValue;
import org.eclipse.microprofile.config.spi.ConfigProviderResolver;

/** The values of MicroProfile Config: the only class that knows it, and that loads where it is absent no more. */
final class MicroProfileValues implements ConfigValues {

    private final Config config;

    private MicroProfileValues(Config config) {
        this.config = config;
    }

    /** {@return the configuration of the class loader; empty where there is the API, but no implementation} */
    static Optional<ConfigValues> of(ClassLoader loader) {
        ConfigProviderResolver resolver;
        try {
            resolver = ConfigProviderResolver.instance();
        } catch (IllegalStateException noImplementation) {
            return Optional.empty();
        }
        return Optional.of(new MicroProfileValues(resolver.getConfig(loader)));
    }

    @Override
    public Optional<String> get(String key) {
        // not getOptionalValue, which cannot tell "set to nothing" from "not set"
        ConfigValue found = config.getConfigValue(key);
        if (found.getValue() == null && found.getRawValue() != null) {
            // not the raw value: it may hold a password
            throw new NoSuchElementException(
                    "refers to something that is not set; set that, or give it a default: ${…:default}");
        }
        return Optional.ofNullable(found.getValue());
    }

    @Override
    public Iterable<String> keys() {
        return config.getPropertyNames();
    }
}
