package org.redislocked.cdi;

import java.util.Map;
import java.util.Optional;

/** A configuration that a test writes down. */
record FixedValues(Map<String, String> values) implements ConfigValues {
    @Override
    public Optional<String> get(String key) {
        return Optional.ofNullable(values.get(key));
    }

    @Override
    public Iterable<String> keys() {
        return values.keySet();
    }
}
