package org.redislocked.cdi;

import java.util.Optional;

/** Turns what an annotation says into the name of a lock: {@code ${key}} and {@code ${key:default}} are resolved. */
final class LockNames {

    private final ConfigValues values;

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
        String name = expand(text);
        if (name.isEmpty()) {
            throw new IllegalArgumentException(
                    text.isEmpty()
                            ? "the name is empty; give the lock one"
                            : "'" + text + "' gives an empty name; give the lock one");
        }
        if (name.startsWith("~")) {
            throw new IllegalArgumentException("'" + name + "' begins with ~, which is kept for the library's own keys;"
                    + " let the name begin with something else");
        }
        return name;
    }

    private String expand(String text) {
        StringBuilder name = new StringBuilder();
        int from = 0;
        for (int open = text.indexOf("${"); open >= 0; open = text.indexOf("${", from)) {
            int close = text.indexOf('}', open);
            if (close < 0) {
                throw new IllegalArgumentException("'" + text + "' has a ${ without its }; add the }");
            }
            name.append(text, from, open).append(value(text.substring(open + 2, close)));
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
        return values.get(key)
                .map(String::trim)
                .filter(value -> !value.isEmpty())
                .or(() -> colon < 0 ? Optional.empty() : Optional.of(expression.substring(colon + 1)))
                .orElseThrow(() -> new IllegalArgumentException("'${" + expression + "}' is not in the configuration;"
                        + " set " + key + ", or give a default: ${" + key + ":default}"));
    }
}
