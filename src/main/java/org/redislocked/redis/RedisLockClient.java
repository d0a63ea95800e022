package org.redislocked.redis;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.redislocked.Hold;
import org.redislocked.LockLost;
import org.redislocked.RedisLocks;
import org.redislocked.ReentrantRedisLock;
import org.redislocked.core.Container;
import org.redislocked.core.LockEngine;
import org.redislocked.core.LockSettings;
import org.redislocked.core.LockStore;
import org.redislocked.core.MemoryLockStore;

/**
 * Gives locks without a container.
 *
 * <pre>{@code
 * try (RedisLockClient locks = RedisLockClient.builder().uri("redis://localhost").build()) {
 *     ReentrantRedisLock lock = locks.get("nightly-report");
 *     ...
 * }
 * }</pre>
 *
 * <p>One client serves a whole application: it has one connection for signals and one for renewal besides its pool, and
 * at most four daemon threads (for signals, renewal, repeated releases and the news of losses), which begin with the
 * first lock that needs them. So building a client succeeds while Redis is down. All methods may be called by any thread.
 */
public final class RedisLockClient implements RedisLocks, AutoCloseable {

    private final LockEngine engine;
    private final LockStore store;
    private final String description;
    private final AtomicBoolean closing = new AtomicBoolean();

    private RedisLockClient(
            LockStore store,
            LockSettings settings,
            Supplier<@Nullable ScheduledExecutorService> scheduler,
            Consumer<? super LockLost> lossListener,
            Container container,
            String description) {
        this.store = store;
        this.engine = new LockEngine(store, settings, scheduler, lossListener, container);
        this.description = description;
    }

    /** {@return a builder with the defaults, for {@code redis://localhost:6379}} */
    public static Builder builder() {
        return new Builder();
    }

    @Override
    public ReentrantRedisLock get(String name) {
        return engine.get(name);
    }

    @Override
    public Optional<Hold> current() {
        return engine.current();
    }

    /**
     * Begins renewal on the {@linkplain Builder#scheduler scheduler} now, if there is one; without this call it begins
     * with the first lock.
     *
     * <p>A scheduler of a container runs its tasks in the context of who gave it the task: so call this when the
     * application starts, rather than let it take over the identity of the first request.
     */
    public void beginRenewal() {
        engine.beginRenewal();
    }

    /**
     * Ends the client: refuses new holds, waits up to the {@linkplain Builder#shutdownTimeout shutdown time-out} for
     * owners to finish, and closes the connections. A hold that is still in use then is not released, but expires in
     * Redis with its lease.
     */
    @Override
    public void close() {
        if (!closing.compareAndSet(false, true)) {
            return; // whoever was first closes the store, when the owners have finished
        }
        try {
            engine.close();
        } finally {
            store.close();
        }
    }

    /** {@return the address of Redis, without any password} */
    @Override
    public String toString() {
        return description;
    }

    /**
     * What a client can be told; each method is the configuration key of its name. Values are checked by {@link #build}.
     */
    public static final class Builder {

        private static final Pattern NOT_IN_CLIENT_NAME = Pattern.compile("[^A-Za-z0-9._-]");
        private static final int LONGEST_CLIENT_NAME = 64;

        private String uri = "redis://localhost:6379";
        private @Nullable String username;
        private @Nullable String password;
        private @Nullable Path trustStore;
        private @Nullable String trustStorePassword;
        private @Nullable Path keyStore;
        private @Nullable String keyStorePassword;
        private boolean verifyHostName = true;
        private String keyPrefix = "redis-lock:";
        private @Nullable String clientName;
        private Duration leaseTime = Duration.ofSeconds(30);
        private Duration connectTimeout = Duration.ofSeconds(2);
        private Duration commandTimeout = Duration.ofSeconds(2);
        private int poolSize = 16;
        private Duration poolWait = Duration.ofSeconds(2);
        private Duration pollInterval = Duration.ofSeconds(1);
        private Duration unavailableTimeout = Duration.ofSeconds(10);
        private Duration shutdownTimeout = Duration.ofSeconds(5);
        private Supplier<@Nullable ScheduledExecutorService> scheduler = () -> null;
        private Consumer<? super LockLost> lossListener = loss -> {};
        private Duration maxHoldTime = Duration.ZERO;
        private Duration leakDetectionThreshold = Duration.ZERO;
        private Container container = Container.NONE;

        private Builder() {}

        /**
         * Where the locks are: {@code redis://[user:password@]host[:port][/database]}, the same with {@code rediss://}
         * for TLS, or {@code memory:} for the memory of this JVM, for tests and development. Default:
         * {@code redis://localhost:6379}.
         *
         * <p>Special characters in user name and password are percent-encoded.
         */
        public Builder uri(String uri) {
            this.uri = uri;
            return this;
        }

        /** The user, instead of the one in the URI. Default: Redis' own {@code default} user. */
        public Builder username(@Nullable String username) {
            this.username = username;
            return this;
        }

        /** The password, instead of the one in the URI. Default: none. */
        public Builder password(@Nullable String password) {
            this.password = password;
            return this;
        }

        /** A PKCS #12 or JKS file with the certificates to trust. Default: those that the JVM trusts. */
        public Builder trustStore(@Nullable Path file) {
            this.trustStore = file;
            return this;
        }

        /** The password of the trust store. Default: none. */
        public Builder trustStorePassword(@Nullable String password) {
            this.trustStorePassword = password;
            return this;
        }

        /** A PKCS #12 or JKS file with the client's certificate and key. Default: none. */
        public Builder keyStore(@Nullable Path file) {
            this.keyStore = file;
            return this;
        }

        /** The password of the key store and its key. Default: none. */
        public Builder keyStorePassword(@Nullable String password) {
            this.keyStorePassword = password;
            return this;
        }

        /** Whether the certificate of Redis must be for the host in the URI. Default: true. */
        public Builder verifyHostName(boolean verify) {
            this.verifyHostName = verify;
            return this;
        }

        /**
         * What all keys and channels in Redis begin with. Default: {@code redis-lock:}. In a Redis Cluster, a hash tag as
         * in <code>{shop}:</code> brings all locks to one node.
         */
        public Builder keyPrefix(String prefix) {
            this.keyPrefix = prefix;
            return this;
        }

        /**
         * A readable name for this client in Redis, logs and messages: 1 to 64 letters, digits, {@code .}, {@code _} and
         * {@code -}. Default: the host name.
         */
        public Builder clientName(@Nullable String name) {
            this.clientName = name;
            return this;
        }

        /**
         * For how long Redis keeps a lock unless it is renewed, which happens after a third of it. Default: 30 s.
         *
         * <p>A lock whose JVM has died is free after it; a JVM that pauses for longer loses its locks.
         */
        public Builder leaseTime(Duration lease) {
            this.leaseTime = lease;
            return this;
        }

        /** How long an attempt to connect may take. Default: 2 s. */
        public Builder connectTimeout(Duration timeout) {
            this.connectTimeout = timeout;
            return this;
        }

        /** How long Redis may take to answer. Default: 2 s. */
        public Builder commandTimeout(Duration timeout) {
            this.commandTimeout = timeout;
            return this;
        }

        /** How many connections there may be, besides one for signals and one for renewal. Default: 16. */
        public Builder poolSize(int connections) {
            this.poolSize = connections;
            return this;
        }

        /** How long to wait for a free connection. Default: 2 s. */
        public Builder poolWait(Duration wait) {
            this.poolWait = wait;
            return this;
        }

        /** How long a waiter sleeps at most between two attempts if no signal comes. Default: 1 s. */
        public Builder pollInterval(Duration interval) {
            this.pollInterval = interval;
            return this;
        }

        /** For how long Redis may fail without a break before waiters give up. Default: 10 s. */
        public Builder unavailableTimeout(Duration timeout) {
            this.unavailableTimeout = timeout;
            return this;
        }

        /** For how long {@link RedisLockClient#close} waits for owners. Default: 5 s. */
        public Builder shutdownTimeout(Duration timeout) {
            this.shutdownTimeout = timeout;
            return this;
        }

        /**
         * Who renews leases; it is asked when the client is built and, if that gave null, once more by the first lock. Default: a daemon thread of the client, which also
         * takes over when the scheduler fails.
         */
        public Builder scheduler(Supplier<@Nullable ScheduledExecutorService> scheduler) {
            this.scheduler = scheduler;
            return this;
        }

        /**
         * Who is told of each lost hold, once. Default: nobody but the log.
         *
         * <p>The listener runs on a thread of the client, as {@link Hold#onLost} says of callbacks.
         */
        public Builder onLost(Consumer<? super LockLost> listener) {
            this.lossListener = Objects.requireNonNull(listener, "listener");
            return this;
        }

        /**
         * After which time a hold is no longer renewed, so that it ends with its lease, and says so in the log. For holders
         * that are stuck. Looked at with each renewal, a third of the lease apart. Default: zero, which is never.
         */
        public Builder maxHoldTime(Duration time) {
            this.maxHoldTime = time;
            return this;
        }

        /**
         * After which time a hold is reported in the log, with where it was taken and what its thread is doing. Looked at
         * with each renewal. Default: zero, which is never.
         */
        public Builder leakDetectionThreshold(Duration time) {
            this.leakDetectionThreshold = time;
            return this;
        }

        /** For the library's own use: what the client finds in a container. Default: nothing. */
        public Builder container(Container container) {
            this.container = container;
            return this;
        }

        /**
         * {@return a client} Does not connect yet.
         *
         * @throws IllegalArgumentException if a value is not allowed; the message begins with its configuration key,
         *     without the {@code redis-lock.} in front, and contains no password
         */
        public RedisLockClient build() {
            ConnectionSettings connection = connection();
            LockSettings settings = new LockSettings(
                    clientName == null ? hostName() : clientName,
                    leaseTime,
                    pollInterval,
                    commandTimeout,
                    poolWait.plus(connectTimeout).plus(commandTimeout),
                    unavailableTimeout,
                    shutdownTimeout,
                    maxHoldTime,
                    leakDetectionThreshold);
            LockStore store = connection.address().memory()
                    ? MemoryLockStore.shared(keyPrefix)
                    : new RedisLockStore(connection, settings.clientName());
            return new RedisLockClient(store, settings, scheduler, lossListener, container, connection.toString());
        }

        ConnectionSettings connection() {
            return ConnectionSettings.of(
                    uri, username, password, tls(), keyPrefix, connectTimeout, commandTimeout, poolSize, poolWait);
        }

        private TlsSettings tls() {
            return new TlsSettings(
                    store("tls.trust-store", trustStore, trustStorePassword),
                    store("tls.key-store", keyStore, keyStorePassword),
                    verifyHostName);
        }

        private static TlsSettings.@Nullable Store store(String key, @Nullable Path file, @Nullable String password) {
            if (file == null && password != null) {
                throw new IllegalArgumentException(key + ": is missing, though " + key + "-password is set");
            }
            return file == null ? null : new TlsSettings.Store(file, password);
        }

        private static String hostName() {
            String cleaned = NOT_IN_CLIENT_NAME.matcher(rawHostName()).replaceAll("-");
            return cleaned.substring(0, Math.min(cleaned.length(), LONGEST_CLIENT_NAME));
        }

        /** Asks the environment first: a look-up may take seconds where there is no name server. */
        private static String rawHostName() {
            for (String variable : new String[] {"HOSTNAME", "COMPUTERNAME"}) {
                String name = System.getenv(variable);
                if (name != null && !name.isBlank()) {
                    return name;
                }
            }
            try {
                return InetAddress.getLocalHost().getHostName();
            } catch (UnknownHostException e) {
                return "unknown-host";
            }
        }
    }
}
