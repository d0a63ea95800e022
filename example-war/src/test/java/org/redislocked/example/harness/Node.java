package org.redislocked.example.harness;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** One running server, in processes of its own. */
public final class Node {

    private static final Duration START_TIMEOUT = Duration.ofMinutes(5);
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration ADMINISTRATION_TIMEOUT = Duration.ofSeconds(60);

    private final String name;
    private final URI root;
    private final String ready;
    private final Path directory;
    private final Launch launch;
    private final Log console;

    /** What was deployed while it ran, by name; guarded by this. */
    private final Map<String, Archive> deployed = new HashMap<>();

    /** The script and the JVM that it starts; guarded by this. */
    private final Set<ProcessHandle> processes = new LinkedHashSet<>();

    private Process process;
    private long startedNanos;
    private Duration coldStart;

    Node(Server server, int number, Cargo cargo) throws IOException {
        name = server.name() + '-' + number;
        directory = Settings.nodes().resolve(cargo.name()).resolve(name);
        Directories.delete(directory);
        Files.createDirectories(directory);
        Ports ports = Ports.free();
        launch = server.layOut(directory, ports, cargo);
        console = new Log(directory.resolve("console.log"));
        root = URI.create("http://localhost:" + ports.http() + '/');
        ready = cargo.ready();
        cargo.archives().forEach(archive -> deployed.put(archive.name(), archive));
    }

    /** {@return the server's name and a number} */
    public String name() {
        return name;
    }

    /** {@return the address of an application, by its context root} */
    public URI uri(String context) {
        return root.resolve(context + '/');
    }

    /** {@return a client of an application, by its context root} */
    public Client client(String context) {
        return new Client(uri(context));
    }

    /** {@return where its files are} */
    public Path directory() {
        return directory;
    }

    /** {@return the server's log so far} */
    public String log() {
        return launch.log().text();
    }

    /** Deploys an application, and returns when the server has done so; else it throws, with what the server wrote. */
    public synchronized void deploy(Archive archive) throws IOException, InterruptedException {
        int before = launch.log().end();
        deployed.put(archive.name(), archive);
        if (!launch.deployer().deploy(archive)) {
            throw new IllegalStateException(
                    name + " did not deploy " + archive + ":\n" + launch.log().since(before));
        }
    }

    /** Undeploys an application, and returns when the server has done so; else it throws, with what the server wrote. */
    public synchronized void undeploy(String application) throws IOException, InterruptedException {
        int before = launch.log().end();
        if (!launch.deployer().undeploy(deployed.remove(application))) {
            throw new IllegalStateException(name + " did not undeploy " + application + ":\n"
                    + launch.log().since(before));
        }
    }

    /** Gives a command to the server's administration, in whose language it is; throws if it fails. */
    public void administer(String command) throws IOException, InterruptedException {
        List<String> line = new ArrayList<>(launch.administration());
        line.add(command);
        Path output = directory.resolve("administration.log");
        Process administration = builder(line, output).start();
        try {
            if (!administration.waitFor(ADMINISTRATION_TIMEOUT.toSeconds(), TimeUnit.SECONDS)
                    || administration.exitValue() != 0) {
                throw new IllegalStateException(name + " did not do " + command + new Log(output).tail());
            }
        } finally {
            administration.descendants().forEach(ProcessHandle::destroyForcibly);
            administration.destroyForcibly();
        }
    }

    /** {@return from the start of the process to the first answer} */
    public Duration coldStart() {
        return coldStart;
    }

    /** {@return whether its processes run} */
    public boolean isAlive() {
        return process.isAlive();
    }

    void start(Map<String, String> environment) throws IOException {
        var builder = builder(launch.command(), console.file());
        builder.environment().putAll(environment);
        startedNanos = System.nanoTime();
        process = builder.start();
        remember();
    }

    /**
     * {@return whether it answers}
     *
     * @throws PortTakenException if another program was quicker
     * @throws IllegalStateException if the server ended or did not answer in time, with the end of its logs
     */
    boolean isReady() throws InterruptedException {
        if (new Client(root).answers(ready)) {
            coldStart = Duration.ofNanos(System.nanoTime() - startedNanos);
            remember();
            return true;
        }
        if (!process.isAlive()) {
            throw failure("ended with status " + process.exitValue());
        }
        String log = launch.log().text();
        if (log.contains(launch.failure()) || isPortTaken(log)) {
            throw failure("could not deploy");
        }
        if (System.nanoTime() - startedNanos > START_TIMEOUT.toNanos()) {
            throw failure("did not answer at " + root.resolve(ready) + " within " + START_TIMEOUT.toSeconds() + " s");
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
        String logs = console.tail() + launch.log().tail();
        String message = name + ' ' + what + logs;
        return isPortTaken(launch.log().text()) ? new PortTakenException(message) : new IllegalStateException(message);
    }

    private static boolean isPortTaken(String log) {
        return log.contains("BindException") || log.contains("Address already in use");
    }

    /** Another program took a port between our look and the server's start. */
    static final class PortTakenException extends IllegalStateException {

        private static final long serialVersionUID = 1L;

        PortTakenException(String message) {
            super(message);
        }
    }
}
