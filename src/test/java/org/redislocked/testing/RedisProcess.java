package org.redislocked.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/** A {@code redis-server} process on a port of 127.0.0.1, with a directory that goes when it goes. Keeps nothing on disk. */
final class RedisProcess {
    private static final Duration START = Duration.ofSeconds(20);
    private static final Duration STOP = Duration.ofSeconds(5);
    private static final int ATTEMPTS = 10;

    /** What is left here when the JVM ends was not closed by its test. */
    private static final Set<RedisProcess> OPEN = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> OPEN.forEach(RedisProcess::close), "redis-reaper"));
    }

    private final List<String> command;
    private final int port;
    private final Path directory;
    private Process process;

    private RedisProcess(Path binary, String portOption, int port, List<String> options) throws IOException {
        this.port = port;
        this.directory = Files.createTempDirectory("test-redis-");
        this.command = new ArrayList<>(List.of(binary.toString(), portOption, Integer.toString(port)));
        command.addAll(List.of("--bind", "127.0.0.1", "--dir", directory.toString(), "--loglevel", "notice"));
        command.addAll(List.of("--save", "", "--appendonly", "no"));
        command.addAll(options);
        this.process = launch();
        OPEN.add(this);
    }

    /**
     * Starts a server on a free port.
     *
     * <p>Another process may take the port between our choice and the server's bind. The server then ends, saying so, and
     * we choose again. Whether it is ready we read in its own output, and so never mistake another server on the same port
     * for ours; this also works with TLS, passwords and ACLs.
     */
    static RedisProcess start(Path binary, String portOption, List<String> options) {
        return start(RedisProcess::freePort, binary, portOption, options);
    }

    static RedisProcess start(IntSupplier ports, Path binary, String portOption, List<String> options) {
        for (int attempt = 1; ; attempt++) {
            try {
                return startOn(ports.getAsInt(), binary, portOption, options);
            } catch (PortTakenException e) {
                if (attempt == ATTEMPTS) {
                    throw new IllegalStateException("No free port after " + ATTEMPTS + " attempts", e);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static RedisProcess startOn(int port, Path binary, String portOption, List<String> options)
            throws IOException {
        var server = new RedisProcess(binary, portOption, port, options);
        try {
            server.awaitReady();
            return server;
        } catch (RuntimeException e) {
            server.close();
            throw e;
        }
    }

    int port() {
        return port;
    }

    long pid() {
        return process.pid();
    }

    String output() {
        try {
            return Files.readString(log());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void stop() {
        process.destroy();
        if (!ended(STOP)) {
            kill();
        }
    }

    void kill() {
        process.destroyForcibly();
        if (!ended(STOP)) {
            throw new IllegalStateException("redis-server, process " + pid() + ", cannot be killed");
        }
    }

    void signal(String name) {
        Signals.send(name, pid());
    }

    void restart() {
        kill();
        try {
            process = launch();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        awaitReady();
    }

    void close() {
        kill();
        TemporaryFiles.delete(directory);
        OPEN.remove(this);
    }

    private Process launch() throws IOException {
        return new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log().toFile())
                .start();
    }

    private void awaitReady() {
        long start = System.nanoTime();
        while (!output().contains("Ready to accept connections")) {
            if (ended(Duration.ofMillis(10))) {
                throw failure("ended with exit value " + process.exitValue());
            }
            if (System.nanoTime() - start > START.toNanos()) {
                throw failure("is not ready after " + START.toSeconds() + " s");
            }
        }
    }

    private RuntimeException failure(String what) {
        var output = output();
        var message = String.join(" ", command) + "\n" + what + ":\n" + output;
        return output.contains("Address already in use") || output.contains("Failed listening on port")
                ? new PortTakenException(message)
                : new IllegalStateException(message);
    }

    /** Waits; an interrupt does not cut the wait short, but is kept. */
    private boolean ended(Duration wait) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return process.waitFor(wait.toMillis(), TimeUnit.MILLISECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private Path log() {
        return directory.resolve("output.log");
    }

    private static int freePort() {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static final class PortTakenException extends IllegalStateException {
        private static final long serialVersionUID = 1L;

        PortTakenException(String message) {
            super(message);
        }
    }
}
