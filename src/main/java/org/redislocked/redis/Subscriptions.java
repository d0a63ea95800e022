package org.redislocked.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.redislocked.core.LockStore.Subscription;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * Who wants to hear which channel, and what Redis has been asked and has confirmed.
 *
 * <p>Any thread queues a command and sends what the window allows; the listener's thread reads. Redis answers in the
 * order of the commands, so a reply belongs to the oldest command without one. An idle channel goes first on every
 * connection: where it is denied, all are, and the others are not even asked for.
 */
final class Subscriptions {

    /**
     * Commands that may be unanswered. So few fit the buffers of the socket, so that sending never blocks, not even
     * when Redis hangs; further ones wait for an answer.
     */
    private static final int WINDOW = 64;

    private static final System.Logger LOG = System.getLogger(Subscriptions.class.getPackageName());

    private final Channel idle;

    /** Guards all that follows. Nobody waits for the network or runs foreign code while holding it. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Map<String, Channel> channels = new HashMap<>();
    private final Queue<Request> unsent = new ArrayDeque<>();
    private final Queue<Request> unanswered = new ArrayDeque<>();
    private @Nullable OwnConnection connection;
    private @Nullable Request unansweredAtLastSilence;
    private boolean closed;
    private boolean warnedOfDenial;

    Subscriptions(String idleChannel) {
        idle = new Channel(idleChannel);
    }

    Subscription add(String channelName, Runnable wakeUp) {
        Interest added = locked(() -> {
            Channel channel = channels.computeIfAbsent(channelName, Channel::new);
            Interest interest = new Interest(channel, wakeUp);
            channel.interests.add(interest);
            if (channel.interests.size() == 1 && idle.active) {
                request(Command.SUBSCRIBE, channel);
            }
            return interest;
        });
        if (added.isActive()) {
            // thanks to another interest: no confirmation is to come, and a signal may just have been missed
            added.wake();
        }
        return added;
    }

    private boolean remove(Interest interest) {
        return locked(() -> {
            Channel channel = interest.channel;
            boolean last = channel.interests.remove(interest) && channel.interests.isEmpty();
            if (last) {
                channel.active = false;
                channels.remove(channel.name);
                if (idle.active) {
                    request(Command.UNSUBSCRIBE, channel);
                }
            }
            return last;
        });
    }

    /** Begins to use a new connection, which the caller then {@linkplain #handle reads}. */
    void attach(OwnConnection redis) {
        locked(() -> {
            if (closed) {
                throw new JedisConnectionException("The client was closed");
            }
            connection = redis;
            return request(Command.SUBSCRIBE, idle);
        });
    }

    /** Forgets a connection that has ended. */
    void detach() {
        wake(locked(() -> {
            connection = null;
            unsent.clear();
            unanswered.clear();
            idle.active = false;
            List<Interest> all = new ArrayList<>();
            for (Channel channel : channels.values()) {
                channel.active = false;
                all.addAll(channel.interests);
            }
            return all;
        }));
    }

    void close() {
        locked(() -> {
            closed = true;
            if (connection != null) {
                connection.end();
            }
            return closed;
        });
    }

    /** Reads one message or reply, or finds that there was none for long, and acts upon it. */
    void handle(OwnConnection redis) {
        Object reply;
        try {
            reply = redis.read();
        } catch (JedisDataException e) {
            wake(locked(() -> refused(e)));
            return;
        }
        if (reply == OwnConnection.SILENCE) {
            locked(this::silence);
        } else if (reply instanceof List<?> parts && text(parts.get(0)).equals("message")) {
            wake(locked(() -> interests(channels.get(text(parts.get(1))))));
        } else {
            wake(locked(this::confirmed));
        }
    }

    private List<Interest> confirmed() {
        Request request = answered();
        Channel channel = request.channel;
        if (request.command == Command.SUBSCRIBE) {
            channel.active = channel == idle || channels.get(channel.name) == channel;
            if (channel == idle) {
                channels.values().forEach(each -> request(Command.SUBSCRIBE, each));
            }
            return interests(channel);
        }
        return List.of();
    }

    private List<Interest> refused(JedisDataException e) {
        Request request = answered();
        if (request.command == Command.SUBSCRIBE && !warnedOfDenial) {
            warnedOfDenial = true;
            LOG.log(
                    Level.WARNING,
                    "Redis refuses the subscription of {0}, so waiters have to poll: {1}; give the"
                            + " user the commands and the channel pattern that the README lists",
                    request.channel.name,
                    e.getMessage());
        }
        return List.of();
    }

    private Request answered() {
        Request request = unanswered.poll();
        if (request == null) {
            throw new JedisConnectionException("A reply to no command");
        }
        send();
        return request;
    }

    /** Tries a quiet connection, and gives it up if it does not answer until the next time. */
    private boolean silence() {
        Request oldest = unanswered.peek();
        if (oldest != null && oldest == unansweredAtLastSilence) {
            throw new JedisConnectionException("No answer for long");
        }
        if (oldest == null) {
            request(idle.active ? Command.PING : Command.SUBSCRIBE, idle);
        }
        unansweredAtLastSilence = unanswered.peek();
        return true;
    }

    private boolean request(Command command, Channel channel) {
        unsent.add(new Request(command, channel));
        send();
        return true;
    }

    private void send() {
        OwnConnection redis = connection;
        if (redis == null || unsent.isEmpty()) {
            return;
        }
        try {
            while (unanswered.size() < WINDOW && !unsent.isEmpty()) {
                Request request = unsent.remove();
                unanswered.add(request);
                redis.send(request.arguments());
            }
            redis.flush();
        } catch (JedisConnectionException e) {
            // the listener's thread sees it when it reads
            redis.end();
        }
    }

    private static List<Interest> interests(@Nullable Channel channel) {
        return channel == null ? List.of() : List.copyOf(channel.interests);
    }

    private static void wake(List<Interest> interests) {
        interests.forEach(Interest::wake);
    }

    private static String text(Object bytes) {
        return new String((byte[]) bytes, UTF_8);
    }

    /** Holds the lock, and keeps an interrupt from closing the socket of a virtual thread. */
    private <T> T locked(Supplier<T> action) {
        boolean interrupted = Thread.interrupted();
        lock.lock();
        try {
            return action.get();
        } finally {
            lock.unlock();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** A channel that somebody wants to hear. */
    private static final class Channel {

        private final String name;
        private final List<Interest> interests = new ArrayList<>(1);

        /** Written under the lock, read without it. */
        private volatile boolean active;

        Channel(String name) {
            this.name = name;
        }
    }

    /** Compared by identity: two of the same command and channel are two. */
    private static final class Request {

        private final Command command;
        private final Channel channel;

        Request(Command command, Channel channel) {
            this.command = command;
            this.channel = channel;
        }

        CommandArguments arguments() {
            CommandArguments arguments = new CommandArguments(command);
            return command == Command.PING ? arguments : arguments.add(channel.name);
        }
    }

    private final class Interest implements Subscription {

        private final Channel channel;
        private final Runnable wakeUp;

        Interest(Channel channel, Runnable wakeUp) {
            this.channel = channel;
            this.wakeUp = wakeUp;
        }

        @Override
        public boolean isActive() {
            return channel.active;
        }

        @Override
        public void close() {
            remove(this);
        }

        void wake() {
            try {
                wakeUp.run();
            } catch (Throwable e) {
                // a waiter's fault must not make the others deaf
                LOG.log(Level.ERROR, "A waiter could not be woken", e);
            }
        }
    }
}
