package org.redislocked.redis;

import static org.redislocked.core.LockSettings.LONGEST;

import java.time.Duration;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;
import org.redislocked.core.StoreException;
import redis.clients.jedis.ClientSetInfoConfig;
import redis.clients.jedis.ConnectionFactory;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;

/** Opens connections to one Redis, all in the same way. */
final class Connections {

    private final ConnectionSettings settings;
    private final Refusals refusals;
    private final HostAndPort address;
    private final @Nullable SSLSocketFactory tls;

    Connections(ConnectionSettings settings, Refusals refusals) {
        this.settings = settings;
        this.refusals = refusals;
        this.address =
                new HostAndPort(settings.address().host(), settings.address().port());
        this.tls = settings.address().tls() ? settings.tls().socketFactory() : null;
    }

    ConnectionFactory pooled() {
        return ConnectionFactory.builder()
                .hostAndPort(address)
                .clientConfig(config(settings.connectTimeout(), settings.commandTimeout()))
                .build();
    }

    OwnConnection open() {
        return open(LONGEST);
    }

    /** Opens a connection in at most {@code limit} for each of its steps, or throws a {@link StoreException}. */
    OwnConnection open(Duration limit) {
        try {
            return new OwnConnection(
                    address, config(least(limit, settings.connectTimeout()), least(limit, settings.commandTimeout())));
        } catch (RuntimeException e) {
            throw refusals.onConnect(e);
        }
    }

    // SslOptions, which Jedis prefers, reads the stores again for each connection
    @SuppressWarnings("deprecation")
    private JedisClientConfig config(Duration connectTimeout, Duration readTimeout) {
        DefaultJedisClientConfig.Builder config = DefaultJedisClientConfig.builder()
                // in RESP3 messages come between replies
                .resp2()
                .connectionTimeoutMillis(Math.max(1, (int) connectTimeout.toMillis()))
                .socketTimeoutMillis(Math.max(1, (int) readTimeout.toMillis()))
                .database(settings.address().database())
                // needs a permission that Redis 7.0 does not know yet
                .clientSetInfoConfig(ClientSetInfoConfig.DISABLED);
        if (settings.password() != null) {
            config.user(settings.username()).password(settings.password());
        }
        if (tls != null) {
            config.ssl(true).sslSocketFactory(tls).sslParameters(settings.tls().parameters());
        }
        return config.build();
    }

    private static Duration least(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }
}
