package org.redislocked.core;

import java.io.Serial;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The store did not answer, or refused. The message is a sentence for the user, without any secret. */
public final class StoreException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    /** What is known of the operation, and whether to try again. */
    public enum Kind {
        /** It was not executed, and may succeed later: no connection, the server is loading. */
        UNREACHABLE,
        /** It may have been executed, now or later: the connection broke, or no answer came in time. */
        UNKNOWN,
        /** It was not executed, and will not be until somebody changes something: no permission, wrong type. */
        REFUSED
    }

    private final Kind kind;

    public StoreException(Kind kind, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    @Override
    public String getMessage() {
        return Objects.requireNonNull(super.getMessage());
    }

    public Kind kind() {
        return kind;
    }
}
