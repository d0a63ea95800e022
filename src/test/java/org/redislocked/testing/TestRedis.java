package org.redislocked.testing;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A real Redis for tests.
 *
 * <ul>
 *   <li>{@link #shared()} is one for the whole JVM, wherever it comes from. Tests use names of their own in it and never
 *       flush, stop or configure it.
 *   <li>{@link #start} and {@link #startTls} give a separate server process, which a test may configure, stop, suspend
 *       and kill as it likes. It ends with {@link #close()}, at the latest with the JVM.
 * </ul>
 *
 * Not thread-safe, except for {@link #shared()} and the getters.
 */
public final class TestRedis implements AutoCloseable {
    private static @Nullable TestRedis shared; // guarded by the class

    private final URI uri;
    private final @Nullable RedisProcess process;

    private TestRedis(URI uri, @Nullable RedisProcess process) {
        this.uri = uri;
        this.process = process;
    }

    /** The Redis of this JVM: started, and announced with one line, by the first call; stopped with the JVM. */
    public static synchronized TestRedis shared() {
        if (shared == null) {
            shared = new TestRedis(SharedRedis.choose(), null);
        }
        return shared;
    }

    /** A server of its own, with the binary that {@link RedisBinary#preferred()} gives. */
    public static TestRedis start(String... options) {
        return start(RedisBinary.preferred(), options);
    }

    /**
     * A server of its own.
     *
     * @param options as on the command line of {@code redis-server}, for example {@code "--maxmemory", "2mb"}
     */
    public static TestRedis start(RedisBinary binary, String... options) {
        var process = RedisProcess.start(binary.path(), "--port", List.of(options));
        return new TestRedis(URI.create("redis://127.0.0.1:" + process.port()), process);
    }

    /** A server of its own that speaks nothing but TLS, and asks clients for no certificate. */
    public static TestRedis startTls(RedisBinary binary, TestCertificates.Identity server, String... options) {
        var all = new ArrayList<>(List.of("--port", "0", "--tls-auth-clients", "no"));
        all.addAll(List.of("--tls-cert-file", server.certificate().toString()));
        all.addAll(List.of("--tls-key-file", server.privateKey().toString()));
        all.addAll(List.of("--tls-ca-cert-file", server.authority().toString()));
        all.addAll(List.of(options));
        var process = RedisProcess.start(binary.path(), "--tls-port", all);
        return new TestRedis(URI.create("rediss://127.0.0.1:" + process.port()), process);
    }

    public URI uri() {
        return uri;
    }

    public String host() {
        return uri.getHost();
    }

    public int port() {
        return uri.getPort() == -1 ? 6379 : uri.getPort();
    }

    public long pid() {
        return own().pid();
    }

    /** What the server has written since its last start. */
    public String output() {
        return own().output();
    }

    /** Ends the server in an orderly way (SIGTERM). */
    public void stop() {
        own().stop();
    }

    /** Ends the server at once (SIGKILL). */
    public void kill() {
        own().kill();
    }

    /** Freezes the server: connections stay open, nothing is answered (SIGSTOP). */
    public void suspend() {
        own().signal("STOP");
    }

    /** Lets a suspended server go on (SIGCONT). */
    public void resume() {
        own().signal("CONT");
    }

    /** Kills the server if it runs, and starts it on the same port with the same options and no data. */
    public void restart() {
        own().restart();
    }

    /** Ends a server of its own and deletes its files; does nothing to the shared one. */
    @Override
    public void close() {
        if (process != null) {
            process.close();
        }
    }

    private RedisProcess own() {
        if (process == null) {
            throw new UnsupportedOperationException("The shared Redis belongs to all tests: use TestRedis.start()");
        }
        return process;
    }
}
