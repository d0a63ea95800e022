package org.redislocked.redis;

/**
 * Where a lock lives in Redis: its key, its fence and its channel, all under one prefix and in one cluster slot.
 *
 * <p>Redis Cluster places a key by its <em>hash tag</em>, the text between the first opening brace and the next closing
 * one, if that is not empty, else by the whole key.
 *
 * <p>Different names have different keys: {@code %} is always escaped, so an escaped brace is never part of a name; and
 * a key holds bare braces only if it has a hash tag, so the two ways of writing never meet. (The fence and the channel
 * of a name with a hash tag may be those of another name: <code>{prefix:x}</code> and {@code x}. That costs tokens with
 * gaps and a needless signal.)
 */
final class Keys {

    /** Lock names cannot begin with it, so these keys are never locks. */
    private static final String FENCE = "~fence:";

    private static final String CHANNEL = "~channel:";

    private final String prefix;

    Keys(String prefix) {
        this.prefix = checkPrefix(prefix);
    }

    /** {@return the prefix, if all keys under it can be in one slot each} */
    static String checkPrefix(String prefix) {
        if (prefix.isEmpty()) {
            throw new IllegalArgumentException("key-prefix: must not be empty; it keeps locks apart from other keys");
        }
        if (hasBrace(prefix) && !isOneHashTag(prefix)) {
            throw new IllegalArgumentException("key-prefix: '" + prefix
                    + "' is not allowed; braces may only enclose one hash tag, as in '{shop}:'");
        }
        return prefix;
    }

    /** {@return the key of the lock, a hash} */
    String lock(String name) {
        String escaped = name.indexOf('%') < 0 ? name : name.replace("%", "%25");
        String key = prefix + escaped;
        return hasBrace(key) && !hasHashTag(key) ? key.replace("{", "%7B").replace("}", "%7D") : key;
    }

    /** {@return the key of the last fencing token} */
    String fence(String lock) {
        return beside(FENCE, lock);
    }

    /** {@return the channel on which releases are signalled} */
    String channel(String lock) {
        return beside(CHANNEL, lock);
    }

    /** {@return a channel that belongs to no lock} */
    String idleChannel() {
        return prefix + CHANNEL;
    }

    private String beside(String what, String lock) {
        return hasBrace(lock) ? prefix + what + lock.substring(prefix.length()) : prefix + what + '{' + lock + '}';
    }

    private static boolean hasBrace(String key) {
        return key.indexOf('{') >= 0 || key.indexOf('}') >= 0;
    }

    private static boolean hasHashTag(String key) {
        int open = key.indexOf('{');
        return open >= 0 && key.indexOf('}', open + 1) > open + 1;
    }

    private static boolean isOneHashTag(String prefix) {
        return hasHashTag(prefix)
                && prefix.indexOf('{') == prefix.lastIndexOf('{')
                && prefix.indexOf('}') == prefix.lastIndexOf('}');
    }
}
