package org.redislocked.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;

/**
 * Stands between clients and a Redis, knows where each command and reply ends, and so can cut and delay before or after
 * Redis executed a certain command.
 *
 * <pre>{@code
 * try (FaultProxy proxy = FaultProxy.to(redis); RedisLockClient client = …uri(proxy.uri().toString())…) {
 *     CompletableFuture<Command> cut = proxy.next("acquire", Fault.CUT_AFTER);
 *     client.get("order").lock();
 *     assertThat(cut).isCompleted();
 * }
 * }</pre>
 *
 * <p>What it does with one command leaves those before it in peace: it waits for their replies first. It speaks RESP2
 * without TLS. At the start it makes Redis know our scripts, so that the first try of each is executed and not answered
 * by NOSCRIPT. All methods may be called by any thread.
 */
public final class FaultProxy implements AutoCloseable {

    /** Asked once for each command before it is sent to Redis; may block, which delays the command. */
    public interface Policy {
        Fault on(Command command);
    }

    /**
     * A command that a client sent.
     *
     * @param name in upper case
     * @param script the name of the script of ours that it runs, for example {@code acquire}, else empty
     * @param arguments all that follows the name
     * @param reply what Redis answered, as text, if it has executed the command; an error begins with a minus
     */
    public record Command(String name, String script, List<String> arguments, CompletableFuture<String> reply) {

        /** {@return whether this is the name of the script or of the command} */
        public boolean is(String scriptOrName) {
            return script.equals(scriptOrName) || name.equals(scriptOrName);
        }

        /** {@return the keys of the script and its arguments in a row, without what names the script} */
        public List<String> scriptArguments() {
            return name.startsWith("EVAL") ? arguments.subList(2, arguments.size()) : List.of();
        }

        /** {@return whether this is the renewal of a lease: it leaves the hold count as it is} */
        public boolean isRenewal() {
            return script.equals("count") && scriptArguments().get(2).equals("0");
        }

        /** {@return whether this is a re-entry or an inner release: it sets the hold count} */
        public boolean setsCount() {
            return script.equals("count") && !isRenewal();
        }

        /** Short, without the text of the script. */
        @Override
        public String toString() {
            String which = script.isEmpty() ? name : name + " " + script;
            return which + (scriptArguments().isEmpty() ? arguments : scriptArguments()) + " -> " + reply.getNow("?");
        }
    }

    private record OneShot(Predicate<Command> which, Fault fault, CompletableFuture<Command> hit) {}

    private final URI redis;
    private final ServerSocket server;
    private final ScriptNames scripts = ScriptNames.ofTheLibrary();
    private final Set<ProxiedConnection> connections = ConcurrentHashMap.newKeySet();
    private final Queue<Command> seen = new ConcurrentLinkedQueue<>();
    private final Queue<OneShot> oneShots = new ConcurrentLinkedQueue<>();
    private volatile Policy policy = command -> Fault.PASS;

    private FaultProxy(URI redis) throws IOException {
        this.redis = redis;
        this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    }

    public static FaultProxy to(TestRedis redis) {
        return to(redis.uri());
    }

    public static FaultProxy to(URI redis) {
        try {
            FaultProxy proxy = new FaultProxy(redis);
            proxy.loadScripts();
            ProxiedConnection.startThread("fault-proxy-accept", proxy::accept);
            return proxy;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@return what clients connect to instead: user, password and database are those of the Redis} */
    public URI uri() {
        String user = redis.getRawUserInfo() == null ? "" : redis.getRawUserInfo() + "@";
        return URI.create("redis://" + user + "127.0.0.1:" + server.getLocalPort() + redis.getRawPath());
    }

    /** Replaces what is done with commands from now on. */
    public void policy(Policy policy) {
        this.policy = policy;
    }

    /** As {@link #next(Predicate, Fault)}, for a script such as {@code acquire} or a command such as {@code TIME}. */
    public CompletableFuture<Command> next(String scriptOrName, Fault fault) {
        return next(command -> command.is(scriptOrName), fault);
    }

    /**
     * Does this with the next such command, whatever the policy says; called again, also with the one after it.
     *
     * @return completed with the command when it has come
     */
    public CompletableFuture<Command> next(Predicate<Command> which, Fault fault) {
        OneShot oneShot = new OneShot(which, fault, new CompletableFuture<>());
        oneShots.add(oneShot);
        return oneShot.hit();
    }

    /** {@return the commands that clients sent, in order for each connection} */
    public List<Command> seen() {
        return new ArrayList<>(seen);
    }

    /** {@return those of {@link #seen()} that run this script or have this name} */
    public List<Command> seen(String scriptOrName) {
        return seen.stream().filter(command -> command.is(scriptOrName)).toList();
    }

    /** {@return how many commands that run this script or have this name Redis has executed and answered without error} */
    public int executed(String scriptOrName) {
        return (int) seen.stream()
                .filter(command ->
                        command.is(scriptOrName) && !command.reply().getNow("-").startsWith("-"))
                .count();
    }

    /** {@return how many connections of clients are open} */
    public int connections() {
        return (int)
                connections.stream().filter(ProxiedConnection::isOpenForClient).count();
    }

    /** Closes all connections; late commands that still wait are never executed. Clients may connect again. */
    public void cutAll() {
        connections.forEach(ProxiedConnection::close);
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        cutAll();
    }

    Fault faultFor(Command command) {
        seen.add(command);
        Optional<OneShot> oneShot = oneShots.stream()
                .filter(each -> each.which().test(command) && oneShots.remove(each))
                .findFirst();
        if (oneShot.isPresent()) {
            oneShot.get().hit().complete(command);
            return oneShot.get().fault();
        }
        return policy.on(command);
    }

    Command parsed(List<String> words) {
        String name = words.get(0).toUpperCase(Locale.ROOT);
        List<String> arguments = List.copyOf(words.subList(1, words.size()));
        String script = name.startsWith("EVAL") ? scripts.nameOf(arguments.get(0)) : "";
        return new Command(name, script, arguments, new CompletableFuture<>());
    }

    void ended(ProxiedConnection connection) {
        connections.remove(connection);
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket client = server.accept();
                try {
                    ProxiedConnection connection = new ProxiedConnection(this, client, connect());
                    connections.add(connection);
                    connection.start();
                    if (server.isClosed()) {
                        connection.close(); // close() may have looked before it was in the set
                    }
                } catch (IOException e) {
                    client.close(); // Redis is down, and so are we
                }
            } catch (IOException e) {
                // closed, or a client that went away
            }
        }
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket();
        socket.connect(new InetSocketAddress(redis.getHost(), redis.getPort() < 0 ? 6379 : redis.getPort()), 5_000);
        return socket;
    }

    /** Where a password is needed, Redis refuses; then a test has to run each script once. */
    private void loadScripts() throws IOException {
        try (Socket socket = connect()) {
            RespReader replies = new RespReader(socket.getInputStream());
            for (String text : scripts.texts()) {
                byte[] bytes = text.getBytes(UTF_8);
                String head = "*3\r\n$6\r\nSCRIPT\r\n$4\r\nLOAD\r\n$" + bytes.length + "\r\n";
                socket.getOutputStream().write((head + text + "\r\n").getBytes(UTF_8));
                replies.read();
            }
        }
    }
}
