package org.redislocked.redis;

import static org.redislocked.core.LockSettings.requireBetween;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where Redis is and how to talk to it, checked; messages begin with the configuration key.
 *
 * @param address where the locks are
 * @param username null for the user {@code default}
 * @param password null for none
 * @param tls ignored unless the address says TLS
 * @param keyPrefix of everything we keep in Redis
 * @param connectTimeout of one attempt to connect
 * @param commandTimeout of one read from Redis
 * @param poolSize connections at the most, besides those for renewal and signals
 * @param poolWait how long to wait for a free one
 */
record ConnectionSettings(
        Address address,
        @Nullable String username,
        @Nullable String password,
        TlsSettings tls,
        String keyPrefix,
        Duration connectTimeout,
        Duration commandTimeout,
        int poolSize,
        Duration poolWait) {

    ConnectionSettings {
        if (username != null && password == null) {
            throw new IllegalArgumentException("password: is needed with a user name");
        }
        if (!address.tls() && tls.isConfigured()) {
            throw new IllegalArgumentException("uri: must begin with rediss:// where tls.* is set, but is " + address);
        }
        Keys.checkPrefix(keyPrefix);
        requireBetween("connect-timeout", connectTimeout, Duration.ofMillis(10), Duration.ofMinutes(1));
        requireBetween("command-timeout", commandTimeout, Duration.ofMillis(10), Duration.ofMinutes(1));
        if (poolSize < 1 || poolSize > 1_000) {
            throw new IllegalArgumentException(
                    "pool.max-size: " + poolSize + " is not allowed; it must be from 1 to 1000");
        }
        requireBetween("pool.max-wait", poolWait, Duration.ZERO, Duration.ofMinutes(1));
    }

    /** Takes user name and password from the URI where they are not given apart from it. */
    static ConnectionSettings of(
            String uri,
            @Nullable String username,
            @Nullable String password,
            TlsSettings tls,
            String keyPrefix,
            Duration connectTimeout,
            Duration commandTimeout,
            int poolSize,
            Duration poolWait) {
        URI parsed = parse(uri.strip());
        UserInfo inUri = UserInfo.of(parsed);
        return new ConnectionSettings(
                Address.of(parsed),
                username != null ? username : inUri.username,
                password != null ? password : inUri.password,
                tls,
                keyPrefix,
                connectTimeout,
                commandTimeout,
                poolSize,
                poolWait);
    }

    /** Names no secret. */
    @Override
    public String toString() {
        return address.toString();
    }

    private static URI parse(String uri) {
        try {
            // for java.net.URI something has to follow
            return new URI(uri.equals("memory:") || uri.equals("memory://") ? "memory:///" : uri);
        } catch (URISyntaxException e) {
            // neither the exception nor the URI itself is shown: it may hold a password
            throw new IllegalArgumentException("uri: is not a valid URI, at character " + (e.getIndex() + 1)
                    + "; special characters in user name and password must be percent-encoded");
        }
    }

    /**
     * One Redis server, or the memory of this JVM.
     *
     * @param host empty for memory
     */
    record Address(Scheme scheme, String host, int port, int database) {

        private static final String FORMS =
                "; it must be redis://[user:password@]host[:port][/database], the same with rediss://, or memory:";

        private static final Pattern DATABASE = Pattern.compile("/?|/(\\d{1,4})");

        static Address of(URI uri) {
            Scheme scheme = Scheme.of(uri.getScheme());
            if (scheme == Scheme.MEMORY) {
                return uri.getRawSchemeSpecificPart().equals("///")
                        ? new Address(scheme, "", 0, 0)
                        : refuse("what follows memory:");
            }
            if (uri.getHost() == null) {
                return refuse("it names no valid host, or the port is no number");
            }
            if (uri.getRawQuery() != null || uri.getRawFragment() != null) {
                return refuse("parameters");
            }
            if (uri.getPort() == 0 || uri.getPort() > 65_535) {
                return refuse("port " + uri.getPort());
            }
            Matcher database = DATABASE.matcher(uri.getRawPath());
            if (!database.matches()) {
                return refuse("the path, which must be the number of a database");
            }
            String host = uri.getHost().startsWith("[")
                    ? uri.getHost().substring(1, uri.getHost().length() - 1)
                    : uri.getHost();
            return new Address(
                    scheme,
                    host,
                    uri.getPort() < 0 ? 6379 : uri.getPort(),
                    database.group(1) == null ? 0 : Integer.parseInt(database.group(1)));
        }

        private static Address refuse(String what) {
            throw new IllegalArgumentException("uri: not allowed: " + what + FORMS);
        }

        boolean tls() {
            return scheme == Scheme.REDISS;
        }

        boolean memory() {
            return scheme == Scheme.MEMORY;
        }

        /** {@return the address as a URI} */
        @Override
        public String toString() {
            return memory()
                    ? "memory:"
                    : (tls() ? "rediss://" : "redis://")
                            + (host.indexOf(':') < 0 ? host : '[' + host + ']')
                            + ':'
                            + port
                            + (database == 0 ? "" : "/" + database);
        }
    }

    /** What an address begins with. */
    enum Scheme {
        REDIS,
        REDISS,
        MEMORY;

        static Scheme of(@Nullable String scheme) {
            return switch (scheme == null ? "" : scheme) {
                case "redis" -> REDIS;
                case "rediss" -> REDISS;
                case "memory" -> MEMORY;
                case "redis-sentinel", "redis-cluster" ->
                    throw new IllegalArgumentException("uri: " + scheme + " is not yet supported" + Address.FORMS);
                default ->
                    throw new IllegalArgumentException("uri: the scheme '" + scheme + "' is unknown" + Address.FORMS);
            };
        }
    }

    private record UserInfo(
            @Nullable String username, @Nullable String password) {

        /** As Redis clients have it: {@code user:password@}, {@code :password@}; a user alone is an error later. */
        static UserInfo of(URI uri) {
            String raw = uri.getRawUserInfo();
            if (raw == null || raw.isEmpty()) {
                return new UserInfo(null, null);
            }
            int colon = raw.indexOf(':');
            String user = colon < 0 ? raw : raw.substring(0, colon);
            return new UserInfo(
                    user.isEmpty() ? null : decode(user), colon < 0 ? null : decode(raw.substring(colon + 1)));
        }

        private static String decode(String raw) {
            return URLDecoder.decode(raw.replace("+", "%2B"), StandardCharsets.UTF_8);
        }
    }
}
