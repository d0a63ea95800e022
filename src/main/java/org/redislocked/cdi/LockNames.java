package org.redislocked.cdi;

import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.redislocked.core.LockEngine;

/**
 * Turns what an annotation says into the name of a lock: {@code ${key}} and {@code ${key:default}} are resolved. Each key
 * is read once, which is at deployment for all that CDI discovers.
 */
final class LockNames {

    private final ConfigValues values;

    /** By key, not by text: code may select any number of names. */
    private final Map<String, Optional<String>> known = new ConcurrentHashMap<>();

    LockNames(ConfigValues values) {
        this.values = values;
    }

    /**
     * {@return the name, checked} What the configuration gives is literal text: it is not resolved again.
     *
     * @throws IllegalArgumentException with what is wrong and what to do
     */
    String resolve(String text) {
        if (text.contains("#{")) {
            throw new IllegalArgumentException("'" + text + "' contains #{, which is not yet supported by this version;"
                    + " use a literal name, or RedisLocks.get(name) with a name made by your code");
        }
        return LockEngine.checkName(expand(text));
    }

    private String expand(String text) {
        StringBuilder name = new StringBuilder();
        int from = 0;
        for (int open = text.indexOf("${"); open >= 0; open = text.indexOf("${", from)) {
            int close = text.indexOf('}', open);
            if (close < 0) {
                throw new IllegalArgumentException("'" + text + "' has a ${ without its }; add the }");
            }
            String expression = text.substring(open + 2, close);
            if (expression.contains("${")) {
                throw new IllegalArgumentException("'" + text + "' has a ${ inside another, which is not supported;"
                        + " use one key, or close the first with }");
            }
            name.append(text, from, open).append(value(expression));
            from = close + 1;
        }
        return name.append(text, from, text.length()).toString();
    }

    private String value(String expression) {
        int colon = expression.indexOf(':');
        String key = colon < 0 ? expression : expression.substring(0, colon);
        if (key.isBlank()) {
            throw new IllegalArgumentException("'${" + expression + "}' names no key; write ${key} or ${key:default}");
        }
        return known.computeIfAbsent(key, this::configured)
                .map(String::trim)
                .filter(value -> !value.isEmpty())
                .or(() -> colon < 0 ? Optional.empty() : Optional.of(expression.substring(colon + 1)))
                .orElseThrow(() -> new IllegalArgumentException("'${" + expression + "}' is not in the configuration;"
                        + " set " + key + ", or give a default: ${" + key + ":default}"));
    }

    private Optional<String> configured(String key) {
        try {
            return values.get(key);
        } catch (NoSuchElementException e) {
            throw new IllegalArgumentException("'${" + key + "}' " + e.getMessage(), e);
        }
    }
}
