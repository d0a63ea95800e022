package org.redislocked.core;

import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Draws grant ids that are never used again: {@code <client-name>-<random>:<thread id>:<sequence>}.
 *
 * <p>The random part is drawn with the first id and not before: a JVM that is checkpointed at start-up and restored in
 * several copies would else give one id to all of them.
 */
final class GrantIds {

    private final String clientName;
    private final AtomicLong sequence = new AtomicLong();
    private volatile @Nullable String clientId; // guarded by this for writing

    GrantIds(String clientName) {
        this.clientName = clientName;
    }

    @SuppressWarnings("deprecation") // threadId() is of JDK 19
    String next() {
        return clientId() + ':' + Thread.currentThread().getId() + ':' + sequence.incrementAndGet();
    }

    private String clientId() {
        String id = clientId;
        return id != null ? id : drawClientId();
    }

    private synchronized String drawClientId() {
        String id = clientId;
        if (id == null) {
            id = clientName + '-' + Long.toString(new SecureRandom().nextLong() >>> 1, Character.MAX_RADIX);
            clientId = id;
        }
        return id;
    }
}
