package org.redislocked.testing;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * What a {@link FaultProxy} does with a command.
 *
 * <p>A stage that is given opens the gate when it completes, in whatever way; a duration opens it so long after the
 * command or its reply came to the gate.
 */
public final class Fault {

    enum Kind {
        PASS,
        CUT_BEFORE,
        CUT_AFTER,
        LATE,
        HOLD_REPLY,
        ANSWER
    }

    /** Nothing. */
    public static final Fault PASS = new Fault(Kind.PASS);

    /** The connection is closed, and Redis never sees the command. */
    public static final Fault CUT_BEFORE = new Fault(Kind.CUT_BEFORE);

    /** Redis executes the command; when it has answered, the connection is closed and the client not told. */
    public static final Fault CUT_AFTER = new Fault(Kind.CUT_AFTER);

    private final Kind kind;
    private final Supplier<CompletionStage<?>> gate;
    private final boolean cutting;
    private final String answer;

    private Fault(Kind kind) {
        this(kind, Fault::open, false, "");
    }

    private Fault(Kind kind, Supplier<CompletionStage<?>> gate, boolean cutting, String answer) {
        this.kind = kind;
        this.gate = gate;
        this.cutting = cutting;
        this.answer = answer;
    }

    /** The client's connection is closed at once, and Redis executes the command when the gate opens. */
    public static Fault late(CompletionStage<?> gate) {
        return new Fault(Kind.LATE, () -> gate, true, "");
    }

    /** As {@link #late(CompletionStage)}. */
    public static Fault late(Duration delay) {
        return new Fault(Kind.LATE, () -> after(delay), true, "");
    }

    /**
     * The client hears nothing any more on this connection, and Redis executes the command when the gate opens. What the
     * client sends after it is lost.
     */
    public static Fault silentlyLate(CompletionStage<?> gate) {
        return new Fault(Kind.LATE, () -> gate, false, "");
    }

    /** As {@link #silentlyLate(CompletionStage)}. */
    public static Fault silentlyLate(Duration delay) {
        return new Fault(Kind.LATE, () -> after(delay), false, "");
    }

    /** Redis executes the command now; its reply, and all that follows on this connection, comes when the gate opens. */
    public static Fault holdReply(CompletionStage<?> gate) {
        return new Fault(Kind.HOLD_REPLY, () -> gate, false, "");
    }

    /** As {@link #holdReply(CompletionStage)}. */
    public static Fault holdReply(Duration delay) {
        return new Fault(Kind.HOLD_REPLY, () -> after(delay), false, "");
    }

    /** Redis never sees the command, and the client gets this error, for example {@code "READONLY You can't write"}. */
    public static Fault error(String line) {
        return answer("-" + line + "\r\n");
    }

    /** Redis never sees the command, and the client gets this instead of its reply, as RESP2. */
    public static Fault answer(String resp) {
        return new Fault(Kind.ANSWER, Fault::open, false, resp);
    }

    Kind kind() {
        return kind;
    }

    /** {@return the gate, whose time begins now} */
    CompletableFuture<?> gate() {
        return gate.get().toCompletableFuture();
    }

    boolean isCutting() {
        return cutting;
    }

    String answer() {
        return answer;
    }

    @Override
    public String toString() {
        return kind + answer;
    }

    private static CompletionStage<?> open() {
        return CompletableFuture.completedFuture(null);
    }

    private static CompletableFuture<?> after(Duration delay) {
        Executor later = CompletableFuture.delayedExecutor(delay.toNanos(), TimeUnit.NANOSECONDS);
        return CompletableFuture.runAsync(() -> {}, later);
    }
}
