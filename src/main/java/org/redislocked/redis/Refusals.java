package org.redislocked.redis;

import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.security.cert.CertificateException;
import java.util.NoSuchElementException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.redislocked.core.StoreException;
import org.redislocked.core.StoreException.Kind;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * Says what an error of Redis or of the connection means: what happened, to what, and what to do.
 *
 * <p>Replies are told apart by their text, because Redis 6.2 wraps errors out of scripts ({@code ERR Error running
 * script … WRONGTYPE …}), and 6.2 and 7.0 lose the code of some.
 */
final class Refusals {

    /** The code of an error: the first word, or what comes after the line of the script where 6.2 has wrapped it. */
    private static final Pattern CODE =
            Pattern.compile("(?:ERR Error running script .*@user_script: ?\\d+: -?)?([A-Z]+) .*");

    private final String redis;
    private final boolean tls;
    private final String user;
    private final @Nullable String password;

    Refusals(ConnectionSettings settings) {
        this.redis = "Redis at " + settings;
        this.tls = settings.address().tls();
        this.password = settings.password();
        this.user = settings.username() == null ? "default" : settings.username();
    }

    /** {@return what it means that we got no connection; the command was never sent} */
    StoreException onConnect(Exception e) {
        JedisDataException reply = find(e, JedisDataException.class);
        if (reply != null) {
            return onReply(reply, "");
        }
        if (e instanceof IllegalStateException) {
            return refused(e, "The connections to " + redis + " are closed.");
        }
        if (e instanceof NoSuchElementException) {
            return unreachable(
                    e,
                    "All connections to " + redis + " stayed in use for the whole redis-lock.pool.max-wait; raise"
                            + " redis-lock.pool.max-size, or find out why Redis is slow.");
        }
        if (find(e, CertificateException.class) != null) {
            return refused(
                    e,
                    redis + " showed a certificate that is not trusted or is not for this host name (" + reason(e)
                            + "); check redis-lock.tls.trust-store and the host in redis-lock.uri.");
        }
        if (find(e, SSLException.class) != null) {
            return refused(
                    e,
                    redis + " could not agree on TLS (" + reason(e) + "); use redis:// if this port is without TLS, and"
                            + " check redis-lock.tls.key-store if Redis wants a client certificate.");
        }
        if (find(e, UnknownHostException.class) != null) {
            return unreachable(e, redis + " cannot be reached: the host name is unknown; check redis-lock.uri.");
        }
        if (isTimeout(e)) {
            return unreachable(
                    e,
                    redis + " cannot be reached: no connection within redis-lock.connect-timeout, or no answer within"
                            + " redis-lock.command-timeout; is it running, and is redis-lock.uri right"
                            + (tls ? ", and is this a port for TLS?" : "?"));
        }
        if (find(e, ConnectException.class) != null) {
            return unreachable(
                    e, redis + " cannot be reached (" + reason(e) + "); is it running, and is redis-lock.uri right?");
        }
        return unreachable(
                e,
                redis + " ended the connection while it was made (" + reason(e) + "); is it shutting down, or does this"
                        + " port want TLS (rediss://)?");
    }

    /**
     * {@return what it means that a command was sent and failed}
     *
     * @param what what the command was for: the key of the lock, if there is one
     */
    StoreException onCommand(RuntimeException e, String what) {
        if (e instanceof JedisDataException reply) {
            return onReply(reply, what);
        }
        String fault = isTimeout(e)
                ? " did not answer in time"
                : " ended the connection before it answered (" + reason(e) + ")";
        return new StoreException(
                Kind.UNKNOWN, redis + fault + "; whether it executed the command for '" + what + "' is unknown.", e);
    }

    /** {@return whether this server cannot do our commands at present, so that a new connection may find another} */
    static boolean wantsNewConnection(JedisDataException reply) {
        return code(text(reply)).equals("READONLY");
    }

    static boolean isTimeout(Exception e) {
        return find(e, SocketTimeoutException.class) != null;
    }

    private StoreException onReply(JedisDataException e, String key) {
        String text = password == null ? text(e) : text(e).replace(password, "***");
        String told = " (" + text + ")";
        return switch (code(text)) {
            case "LOADING", "TRYAGAIN", "CLUSTERDOWN", "MASTERDOWN", "BUSY", "NOREPLICAS" ->
                unreachable(e, redis + " cannot answer at present" + told + ".");
            case "READONLY" ->
                unreachable(e, redis + " is a replica" + told + "; redis-lock.uri must lead to the primary.");
            case "WRONGPASS" ->
                refused(
                        e,
                        redis + " refused the password of user '" + user
                                + "' (WRONGPASS); check redis-lock.username and redis-lock.password.");
            case "NOAUTH" -> refused(e, redis + " wants a password (NOAUTH); set redis-lock.password.");
            case "NOPERM" ->
                refused(
                        e,
                        redis + " does not permit user '" + user + "' what a lock needs" + told
                                + "; give it the commands and the key pattern that the README lists.");
            case "DENIED" ->
                refused(
                        e,
                        redis
                                + " is in protected mode and refuses other hosts; set a password in Redis, or its 'bind'.");
            case "WRONGTYPE" ->
                refused(
                        e,
                        "Key '" + key + "' in " + redis + " is not a lock: it holds another type (WRONGTYPE); it was"
                                + " left untouched. Rename the lock or set another redis-lock.key-prefix.");
            case "OOM" ->
                refused(
                        e,
                        redis
                                + " is out of memory (OOM) and takes no new locks; raise its 'maxmemory' or remove data.");
            case "MISCONF" ->
                refused(
                        e,
                        redis + " refuses to write because it cannot save its data (MISCONF); see the log of Redis.");
            case "MOVED", "ASK" -> refused(e, redis + " is part of a Redis Cluster, which is not yet supported.");
            default -> {
                if (text.contains("max number of clients")) {
                    yield unreachable(e, redis + " has too many clients" + told + "; raise its 'maxclients'.");
                }
                if (text.contains("HELLO")) {
                    yield refused(e, redis + " is too old" + told + "; Redis 6.2 or newer is needed.");
                }
                if (key.isEmpty()) {
                    yield refused(e, redis + " refused the connection" + told + ".");
                }
                // From whom such an answer comes, and when, is not known: a proxy may give one after the execution.
                yield new StoreException(
                        Kind.UNKNOWN,
                        redis + " answered with an error for '" + key + "'" + told + ".",
                        withoutPassword(e));
            }
        };
    }

    /** {@return the exception as a cause to be shown; none if the server has echoed the password, as Redis 5 does} */
    private @Nullable Exception withoutPassword(Exception e) {
        if (password == null) {
            return e;
        }
        for (Throwable each = e; each != null; each = next(each)) {
            if (String.valueOf(each.getMessage()).contains(password)) {
                return null;
            }
        }
        return e;
    }

    private static String code(String text) {
        Matcher matcher = CODE.matcher(text);
        String code = matcher.matches() ? matcher.group(1) : "";
        // inside scripts, 6.2 and 7.0 drop the code NOPERM
        return text.contains("The user executing the script can't") ? "NOPERM" : code;
    }

    private static String text(JedisDataException e) {
        return e.getMessage() == null ? "" : e.getMessage();
    }

    private StoreException unreachable(Exception e, String message) {
        return new StoreException(Kind.UNREACHABLE, message, withoutPassword(e));
    }

    private StoreException refused(Exception e, String message) {
        return new StoreException(Kind.REFUSED, message, withoutPassword(e));
    }

    /** Looks among the causes; Jedis keeps the failures of the addresses it tried as suppressed ones. */
    private static <T extends Throwable> @Nullable T find(Throwable start, Class<T> type) {
        for (Throwable e = start; e != null; e = next(e)) {
            if (type.isInstance(e)) {
                return type.cast(e);
            }
        }
        return null;
    }

    private static String reason(Throwable start) {
        Throwable last = start;
        for (Throwable e = start; e != null; e = next(e)) {
            last = e;
        }
        return last.getMessage() == null ? last.getClass().getSimpleName() : last.getMessage();
    }

    private static @Nullable Throwable next(Throwable e) {
        if (e.getCause() != null) {
            return e.getCause();
        }
        return e instanceof JedisConnectionException && e.getSuppressed().length > 0 ? e.getSuppressed()[0] : null;
    }
}
