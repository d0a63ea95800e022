package org.redislocked.example.harness;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** One running server with the shop, in processes of its own. */
public final class Node {

    private static final Duration START_TIMEOUT = Duration.ofMinutes(5);
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(30);
    private static final int TAIL = 60;

    private final String name;
    private final URI shop;
    private final Path directory;
    private final Launch launch;
    private final ShopClient client;

    /** The script and the JVM that it starts; guarded by this. */
    private final Set<ProcessHandle> processes = new LinkedHashSet<>();

    private Process process;
    private long startedNanos;
    private Duration coldStart;

    Node(Server server, int number) throws IOException {
        name = server.name() + '-' + number;
        directory = Settings.nodes().resolve(name);
        Directories.delete(directory);
        Files.createDirectories(directory);
        Ports ports = Ports.free();
        launch = server.layOut(directory, ports);
        shop = URI.create("http://localhost:" + ports.http() + '/' + Server.CONTEXT + '/');
        client = new ShopClient(shop);
    }

    /** {@return the server's name and a number} */
    public String name() {
        return name;
    }

    /** {@return the address of the shop's page} */
    public URI shop() {
        return shop;
    }

    /** {@return a client of this node's shop} */
    public ShopClient client() {
        return client;
    }

    /** {@return from the start of the process to the first answer of the shop} */
    public Duration coldStart() {
        return coldStart;
    }

    /** {@return whether its processes run} */
    public boolean isAlive() {
        return process.isAlive();
    }

    void start(Map<String, String> environment) throws IOException {
        var builder = builder(launch.command(), directory.resolve("console.log"));
        builder.environment().putAll(environment);
        builder.environment().put("SHOP_NODE", name);
        startedNanos = System.nanoTime();
        process = builder.start();
        remember();
    }

    /**
     * {@return whether the shop answers}
     *
     * @throws PortTakenException if another program was quicker
     * @throws IllegalStateException if the server ended or did not answer in time, with the end of its logs
     */
    boolean isReady() throws InterruptedException {
        if (client.answers()) {
            coldStart = Duration.ofNanos(System.nanoTime() - startedNanos);
            remember();
            return true;
        }
        if (!process.isAlive()) {
            throw failure("ended with status " + process.exitValue());
        }
        String log = text(launch.log());
        if (log.contains(launch.failure()) || isPortTaken(log)) {
            throw failure("could not start the shop");
        }
        if (System.nanoTime() - startedNanos > START_TIMEOUT.toNanos()) {
            throw failure("did not answer at " + shop + " within " + START_TIMEOUT.toSeconds() + " s");
        }
        return false;
    }

    /** Ends the server at once, as a crash would: SIGKILL for the JVM and for the script that started it. */
    public void kill() {
        for (ProcessHandle handle : remember()) {
            handle.destroyForcibly();
        }
        awaitEnd();
    }

    /** Ends the server in good order, or by force if that takes too long. */
    public void stop() {
        Set<ProcessHandle> all = remember();
        if (all.stream().noneMatch(ProcessHandle::isAlive)) {
            return;
        }
        askToStop();
        if (!awaitEnd()) {
            System.out.printf("%s did not stop within %d s: killed%n", name, STOP_TIMEOUT.toSeconds());
            kill();
        }
    }

    private void askToStop() {
        if (!launch.stop().isEmpty() && ranStopCommand()) {
            return;
        }
        remember().forEach(ProcessHandle::destroy);
    }

    private boolean ranStopCommand() {
        try {
            Process stopping =
                    builder(launch.stop(), directory.resolve("stop.log")).start();
            if (stopping.waitFor(STOP_TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
                return stopping.exitValue() == 0;
            }
            stopping.destroyForcibly();
        } catch (IOException e) {
            System.out.println(name + " could not be asked to stop: " + e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return false;
    }

    private boolean awaitEnd() {
        long deadline = System.nanoTime() + STOP_TIMEOUT.toNanos();
        for (ProcessHandle handle : remember()) {
            try {
                handle.onExit().get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            } catch (Exception e) {
                return false;
            }
        }
        return true;
    }

    private ProcessBuilder builder(List<String> command, Path output) {
        var builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().putAll(launch.environment());
        return builder;
    }

    /** Once a script is gone, its JVM can no longer be found through it: so keep what was seen. */
    private synchronized Set<ProcessHandle> remember() {
        if (process != null) {
            processes.add(process.toHandle());
            process.descendants().forEach(processes::add);
        }
        return new LinkedHashSet<>(processes);
    }

    private IllegalStateException failure(String what) {
        String logs = tail(directory.resolve("console.log")) + tail(launch.log());
        String message = name + ' ' + what + logs;
        return isPortTaken(text(launch.log())) ? new PortTakenException(message) : new IllegalStateException(message);
    }

    private static boolean isPortTaken(String log) {
        return log.contains("BindException") || log.contains("Address already in use");
    }

    private static String tail(Path log) {
        List<String> lines = text(log).lines().toList();
        return "\n--- the end of " + log + '\n'
                + String.join("\n", lines.subList(Math.max(0, lines.size() - TAIL), lines.size()));
    }

    private static String text(Path log) {
        try {
            return new String(Files.readAllBytes(log), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "";
        }
    }

    /** Another program took a port between our look and the server's start. */
    static final class PortTakenException extends IllegalStateException {

        private static final long serialVersionUID = 1L;

        PortTakenException(String message) {
            super(message);
        }
    }
}
