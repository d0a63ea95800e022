package org.redislocked.testing;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import redis.embedded.core.ExecutableProvider;
import redis.embedded.model.OsArchitecture;

/** The Redis servers that a test can start as processes of its own. Tests that must hold on each run over {@link #available()}. */
public enum RedisBinary {
    /** A {@code redis-server}, else a {@code valkey-server}, on the PATH. */
    INSTALLED,
    /** The one that comes with embedded-redis: Redis 6.2. */
    EMBEDDED;

    private static final class Found {
        static final Map<RedisBinary, Path> PATHS = new HashMap<>();

        static {
            onThePath().ifPresent(path -> PATHS.put(INSTALLED, path));
            embedded().ifPresent(path -> PATHS.put(EMBEDDED, path));
        }
    }

    /** Those that run on this machine, in order of preference. */
    public static List<RedisBinary> available() {
        return Arrays.stream(values()).filter(RedisBinary::isAvailable).toList();
    }

    /** Those of {@link #available()} that were built with TLS. */
    public static List<RedisBinary> availableWithTls() {
        return available().stream().filter(RedisBinary::supportsTls).toList();
    }

    public static RedisBinary preferred() {
        return available().stream()
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(
                        "No redis-server on the PATH, and the one of embedded-redis does not run here"));
    }

    public boolean isAvailable() {
        return Found.PATHS.containsKey(this);
    }

    public Path path() {
        var path = Found.PATHS.get(this);
        if (path == null) {
            throw new IllegalStateException(this + " is not available here");
        }
        return path;
    }

    private boolean supportsTls() {
        // Without certificates no server starts; one built without TLS does not even know the option.
        var output = run(path(), "--port", "0", "--tls-port", "1");
        return output != null && !output.contains("Bad directive");
    }

    private static Optional<Path> onThePath() {
        var directories = Optional.ofNullable(System.getenv("PATH")).orElse("").split(File.pathSeparator);
        return Stream.of("redis-server", "valkey-server")
                .flatMap(name -> Arrays.stream(directories).map(directory -> Path.of(directory, name)))
                .filter(Files::isExecutable)
                .filter(RedisBinary::runs)
                .findFirst();
    }

    private static Optional<Path> embedded() {
        var directory = TemporaryFiles.directory("embedded-redis-");
        var standard = ExecutableProvider.newProvidedVersionsMap();
        var any = new HashMap<>(standard);
        // The 64-bit binary for Linux needs libssl 3, the 32-bit one nothing.
        any.put(OsArchitecture.UNIX_x86_64, standard.get(OsArchitecture.UNIX_x86));
        return Stream.of(standard, any)
                .flatMap(executables -> extract(directory, executables))
                .filter(RedisBinary::runs)
                .findFirst();
    }

    private static Stream<Path> extract(Path directory, Map<OsArchitecture, String> executables) {
        try {
            var file = ExecutableProvider.newJarResourceProvider(directory::toFile, executables)
                    .get();
            return Stream.of(file.toPath());
        } catch (IOException | RuntimeException e) {
            return Stream.empty(); // none for this operating system
        }
    }

    private static boolean runs(Path binary) {
        var output = run(binary, "--version");
        return output != null && output.contains("v=");
    }

    private static @Nullable String run(Path binary, String... arguments) {
        var command = Stream.concat(Stream.of(binary.toString()), Arrays.stream(arguments));
        try {
            var process = new ProcessBuilder(command.toList())
                    .redirectErrorStream(true)
                    .start();
            return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return null;
        }
    }
}
