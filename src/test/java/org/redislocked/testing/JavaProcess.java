package org.redislocked.testing;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A main class of the tests in a JVM of its own, which a test may talk to, suspend and kill.
 *
 * <p>It ends with {@link #close()}, at the latest with this JVM: in an orderly end of ours it is killed, and when we were
 * killed ourselves, its standard input is at its end and it stops by itself. Only one that was {@linkplain #suspend()
 * suspended} when we were killed stays.
 *
 * <p>Lines of its standard output wait until they are read; what it writes to its standard error is part of the
 * messages about it.
 */
public final class JavaProcess implements AutoCloseable {
    private static final Duration KILL = Duration.ofSeconds(5);

    /** What is left here when the JVM ends was not closed by its test. */
    private static final Set<JavaProcess> OPEN = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> OPEN.forEach(JavaProcess::close), "jvm-reaper"));
    }

    private final String name;
    private final Path errors;
    private final Process process;
    private final Writer input;
    /** Empty: the end of the output. */
    private final BlockingQueue<Optional<String>> output = new LinkedBlockingQueue<>();

    private JavaProcess(String name, List<String> command) throws IOException {
        this.name = name;
        errors = Files.createTempFile("jvm-", ".err");
        process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
        input = process.outputWriter(StandardCharsets.UTF_8);
        OPEN.add(this);
        var reader = new Thread(this::readOutput, "output of " + name);
        reader.setDaemon(true);
        reader.start();
    }

    /** Starts a main class with the class path of these tests. */
    public static JavaProcess start(Class<?> main, String... arguments) {
        return start(List.of(), List.of(), main, arguments);
    }

    /**
     * Starts a main class.
     *
     * @param inFront goes before the class path of these tests, so that its classes are taken instead
     * @param options of the JVM, as {@code -Xmx64m}
     */
    public static JavaProcess start(List<Path> inFront, List<String> options, Class<?> main, String... arguments) {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        var classPath = Stream.concat(inFront.stream().map(Path::toString), Stream.of(classPath()));
        command.addAll(List.of("-cp", classPath.collect(Collectors.joining(File.pathSeparator))));
        command.addAll(List.of(Child.class.getName(), main.getName()));
        command.addAll(List.of(arguments));
        try {
            return new JavaProcess(main.getSimpleName(), command);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@return that of this JVM} Even where Surefire hides it in the manifest of a jar. */
    public static String classPath() {
        return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** {@return the next line of the standard output} Fails if there is none in time, or none any more. */
    public String readLine(Duration timeout) {
        try {
            var line = output.poll(timeout.toNanos(), TimeUnit.NANOSECONDS);
            if (line == null) {
                throw failure("has written no line for " + timeout);
            }
            if (line.isEmpty()) {
                output.add(line); // the end stays the end
                throw failure("has written its last line");
            }
            return line.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failure("was not awaited, as we were interrupted");
        }
    }

    /** Sends a line to the standard input. */
    public void writeLine(String line) {
        try {
            input.write(line + "\n");
            input.flush();
        } catch (IOException e) {
            throw failure("does not read: " + e.getMessage());
        }
    }

    /** Freezes it with all its threads (SIGSTOP). */
    public void suspend() {
        Signals.send("STOP", pid());
    }

    /** Lets it go on after {@link #suspend()} (SIGCONT). */
    public void resume() {
        Signals.send("CONT", pid());
    }

    /** Ends it at once (SIGKILL), even if it is suspended. */
    public void kill() {
        process.destroyForcibly();
        awaitExit(KILL);
    }

    /** {@return its exit value} Fails if it does not end in time. */
    public int awaitExit(Duration timeout) {
        try {
            if (!process.waitFor(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
                throw failure("has not ended after " + timeout);
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failure("was not awaited, as we were interrupted");
        }
    }

    /** {@return what it has written to its standard error} */
    public String errors() {
        try {
            return Files.exists(errors) ? Files.readString(errors) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            kill();
        } finally {
            TemporaryFiles.delete(errors);
            OPEN.remove(this);
        }
    }

    @Override
    public String toString() {
        return name + ", process " + pid();
    }

    private IllegalStateException failure(String what) {
        var end = process.isAlive() ? "" : " (exit value " + process.exitValue() + ")";
        return new IllegalStateException(this + " " + what + end + "\n" + errors());
    }

    private void readOutput() {
        try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
            for (var line = reader.readLine(); line != null; line = reader.readLine()) {
                output.add(Optional.of(line));
            }
        } catch (IOException e) {
            output.add(Optional.of("Output broken: " + e.getMessage())); // we closed it, or the process was killed
        } finally {
            output.add(Optional.empty());
        }
    }

    /** What runs first in the other JVM: ends it with the end of its standard input, which comes with our end. */
    static final class Child {
        private static final int ORPHANED = 86;
        private static final int UNREAD = 1 << 20;

        private Child() {}

        public static void main(String[] arguments) throws Throwable {
            watch(System.in);
            var main = Class.forName(arguments[0]).getDeclaredMethod("main", String[].class);
            main.setAccessible(true);
            try {
                main.invoke(null, (Object) Arrays.copyOfRange(arguments, 1, arguments.length));
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }

        /** Reads the input all the time, so that its end is noticed, and passes it on to who reads System.in. */
        private static void watch(InputStream input) throws IOException {
            var forUs = new PipedOutputStream();
            System.setIn(new PipedInputStream(forUs, UNREAD));
            var watcher = new Thread(
                    () -> {
                        try {
                            var buffer = new byte[8192];
                            for (int n = input.read(buffer); n >= 0; n = input.read(buffer)) {
                                forUs.write(buffer, 0, n);
                                forUs.flush(); // wakes the reader at once
                            }
                        } catch (IOException e) {
                            System.err.println("Input broken: " + e.getMessage());
                        } finally {
                            Runtime.getRuntime().halt(ORPHANED); // no shutdown hook may keep an orphan
                        }
                    },
                    "parent-watch");
            watcher.setDaemon(true);
            watcher.start();
        }
    }
}
