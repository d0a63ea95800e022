package org.redislocked.testing;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;

/** Redis in a container, where there is a container engine. */
final class RedisContainer {
    static final String IMAGE = "redis:7.2-alpine";

    /** Held here, because java.util.logging forgets the level of a logger that nobody refers to. */
    private static final List<Logger> NOISE = Stream.of("org.testcontainers", "tc", "com.github.dockerjava")
            .map(Logger::getLogger)
            .toList();

    private RedisContainer() {}

    /** Starts it, to run until the JVM ends; empty, without a word, where no engine is, and with one if it fails. */
    static Optional<URI> start() {
        if (!mayHaveEngine()) {
            return Optional.empty();
        }
        NOISE.forEach(logger -> logger.setLevel(Level.OFF));
        try {
            return DockerClientFactory.instance().isDockerAvailable() ? Optional.of(run()) : Optional.empty();
        } catch (RuntimeException e) {
            System.out.println("Test Redis: no container " + IMAGE + ", " + rootCause(e));
            return Optional.empty();
        }
    }

    @SuppressWarnings("resource") // stopped by the hook
    private static URI run() {
        var container = new GenericContainer<>(DockerImageName.parse(IMAGE))
                .withExposedPorts(6379)
                .withCommand(
                        "redis-server",
                        "--bind",
                        "0.0.0.0",
                        "--protected-mode",
                        "no",
                        "--save",
                        "",
                        "--appendonly",
                        "no")
                .waitingFor(Wait.forLogMessage(".*Ready to accept connections.*\\n", 1));
        Runtime.getRuntime().addShutdownHook(new Thread(container::stop, "redis-container-reaper"));
        container.start();
        return URI.create("redis://" + container.getHost() + ":" + container.getMappedPort(6379));
    }

    /** Spares a machine without an engine the seconds and the stack traces that Testcontainers takes to find that out. */
    private static boolean mayHaveEngine() {
        var home = System.getProperty("user.home");
        var runtime = Optional.ofNullable(System.getenv("XDG_RUNTIME_DIR")).orElse(home);
        return System.getenv("DOCKER_HOST") != null
                || System.getProperty("os.name").startsWith("Windows")
                || Stream.of(
                                Path.of("/var/run/docker.sock"),
                                Path.of(runtime, "docker.sock"),
                                Path.of(home, ".docker/run/docker.sock"),
                                Path.of(home, ".docker/desktop/docker.sock"),
                                Path.of(home, ".testcontainers.properties"))
                        .anyMatch(Files::exists);
    }

    private static Throwable rootCause(Throwable e) {
        return e.getCause() == null ? e : rootCause(e.getCause());
    }
}
