package org.redislocked.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.Socket;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.redislocked.testing.FaultProxy.Command;

/**
 * One connection of a client with the one to Redis that belongs to it, and a thread for either direction: one asks what
 * to do with each command, the other hands replies on.
 */
final class ProxiedConnection {

    /** They come without a command. */
    private static final Set<String> MESSAGES = Set.of("message", "pmessage", "smessage");

    private record Unanswered(Command command, Fault fault) {}

    private final FaultProxy proxy;
    private final Socket client;
    private final Socket redis;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    /** Guards what follows, and the order of writing to the client. */
    private final Object mutex = new Object();

    private final Queue<Unanswered> unanswered = new ArrayDeque<>();
    private boolean deaf;

    ProxiedConnection(FaultProxy proxy, Socket client, Socket redis) throws IOException {
        this.proxy = proxy;
        this.client = client;
        this.redis = redis;
        client.setTcpNoDelay(true);
        redis.setTcpNoDelay(true);
    }

    static void startThread(String name, Runnable task) {
        Thread thread = new Thread(null, task, name, 0, false);
        thread.setDaemon(true);
        thread.start();
    }

    void start() {
        startThread("fault-proxy-commands", () -> run(this::passCommands));
        startThread("fault-proxy-replies", () -> run(this::passReplies));
    }

    boolean isOpenForClient() {
        return !client.isClosed();
    }

    void close() {
        closed.complete(null);
        closeQuietly(client);
        closeQuietly(redis);
        synchronized (mutex) {
            mutex.notifyAll();
        }
        proxy.ended(this);
    }

    private interface Loop {
        void run() throws IOException, InterruptedException;
    }

    private void run(Loop loop) {
        try {
            loop.run();
        } catch (IOException | InterruptedException e) {
            // one side has closed its connection
        } finally {
            close();
        }
    }

    private void passCommands() throws IOException, InterruptedException {
        RespReader commands = new RespReader(client.getInputStream());
        while (!closed.isDone()) {
            RespReader.Value value = commands.read();
            Command command = proxy.parsed(value.strings());
            Fault fault = proxy.faultFor(command);
            switch (fault.kind()) {
                case PASS, HOLD_REPLY -> send(command, fault, value.raw());
                case CUT_BEFORE -> {
                    awaitAnswers();
                    return;
                }
                case CUT_AFTER -> {
                    awaitAnswers();
                    send(command, fault, value.raw());
                    awaitAnswers();
                    return;
                }
                case ANSWER -> {
                    awaitAnswers();
                    tell(fault.answer().getBytes(UTF_8));
                }
                case LATE -> {
                    awaitAnswers();
                    sendLate(command, fault, value.raw());
                    if (!fault.isCutting()) {
                        client.getInputStream().skip(Long.MAX_VALUE); // until the client has enough of the silence
                    }
                    return;
                }
            }
        }
    }

    private void sendLate(Command command, Fault fault, byte[] raw) throws IOException, InterruptedException {
        CompletableFuture<?> gate = fault.gate();
        synchronized (mutex) {
            deaf = true;
        }
        if (fault.isCutting()) {
            closeQuietly(client);
        }
        awaitGate(gate);
        if (!closed.isDone()) {
            send(command, Fault.PASS, raw);
            awaitAnswers();
        }
    }

    private void send(Command command, Fault fault, byte[] raw) throws IOException {
        // Redis answers a (un)subscription once for each channel
        int answers = command.name().endsWith("SUBSCRIBE")
                ? Math.max(1, command.arguments().size())
                : 1;
        synchronized (mutex) {
            for (int i = 0; i < answers; i++) {
                unanswered.add(new Unanswered(command, fault));
            }
        }
        redis.getOutputStream().write(raw);
    }

    private void passReplies() throws IOException, InterruptedException {
        RespReader replies = new RespReader(redis.getInputStream());
        while (true) {
            RespReader.Value reply = replies.read();
            if (MESSAGES.contains(
                    reply.strings().isEmpty() ? "" : reply.strings().get(0))) {
                tell(reply.raw());
                continue;
            }
            Unanswered answered;
            synchronized (mutex) {
                answered = unanswered.element();
            }
            answered.command().reply().complete(reply.text());
            switch (answered.fault().kind()) {
                case CUT_AFTER -> {
                    return;
                }
                case HOLD_REPLY -> awaitGate(answered.fault().gate());
                default -> {}
            }
            tell(reply.raw());
            synchronized (mutex) {
                unanswered.remove();
                mutex.notifyAll();
            }
        }
    }

    private void tell(byte[] raw) throws IOException {
        synchronized (mutex) {
            if (!deaf) {
                client.getOutputStream().write(raw);
            }
        }
    }

    private void awaitAnswers() throws InterruptedException {
        synchronized (mutex) {
            while (!unanswered.isEmpty() && !closed.isDone()) {
                mutex.wait();
            }
        }
    }

    private void awaitGate(CompletableFuture<?> gate) {
        CompletableFuture.anyOf(closed, gate.handle((result, failure) -> true)).join();
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // as good as closed
        }
    }
}
