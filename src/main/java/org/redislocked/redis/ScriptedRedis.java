package org.redislocked.redis;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.function.Function;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisNoScriptException;

/**
 * Runs scripts on pooled connections, one connection a call, in bounded time.
 *
 * <p>Getting a connection and using it are told apart: what fails in the first was surely not executed. The interrupt
 * status is put aside meanwhile, because on a virtual thread it would close the socket: a reply would be lost, and an
 * interrupted owner could not release.
 */
final class ScriptedRedis implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(ScriptedRedis.class.getPackageName());

    private final Refusals refusals;
    private final long poolWaitNanos;
    private final ConnectionPool pool;

    ScriptedRedis(ConnectionSettings settings, Connections connections, Refusals refusals) {
        this.refusals = refusals;
        this.poolWaitNanos = settings.poolWait().toNanos();
        this.pool = new Pool(connections, poolConfig(settings));
    }

    private static ConnectionPoolConfig poolConfig(ConnectionSettings settings) {
        ConnectionPoolConfig config = new ConnectionPoolConfig();
        config.setMaxTotal(settings.poolSize());
        config.setMaxIdle(settings.poolSize());
        config.setMaxWait(settings.poolWait());
        // MBeans and the evictor thread of commons-pool would outlive an application in its server
        config.setJmxEnabled(false);
        config.setTimeBetweenEvictionRuns(Duration.ofMillis(-1));
        return config;
    }

    /**
     * Runs a script.
     *
     * @param key the lock's key, for messages
     */
    Object run(Script script, String key, byte[]... keysAndArguments) {
        return use(key, connection -> {
            try {
                return connection.executeCommand(script.bySha(keysAndArguments));
            } catch (JedisNoScriptException e) {
                return connection.executeCommand(script.byText(keysAndArguments));
            }
        });
    }

    /** Asks for the server time. */
    Object time() {
        return use("TIME", connection -> connection.executeCommand(new CommandArguments(Command.TIME)));
    }

    /** Asks for what Redis says of its memory. */
    Object memoryInfo() {
        return use("INFO", connection -> connection.executeCommand(new CommandArguments(Command.INFO).add("memory")));
    }

    @Override
    public void close() {
        pool.close();
    }

    private Object use(String key, Function<Connection, Object> commands) {
        boolean interrupted = Thread.interrupted();
        try {
            Connection connection = null;
            long start = System.nanoTime();
            while (connection == null) {
                try {
                    long rest = poolWaitNanos - (System.nanoTime() - start);
                    connection = pool.borrowObject(Duration.ofNanos(Math.max(0, rest)));
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (Exception e) {
                    throw refusals.onConnect(e);
                }
            }
            return execute(connection, key, commands);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private Object execute(Connection connection, String key, Function<Connection, Object> commands) {
        boolean reusable = false;
        boolean serverGone = false;
        try {
            Object reply = commands.apply(connection);
            reusable = true;
            return reply;
        } catch (JedisDataException e) {
            reusable = !Refusals.wantsNewConnection(e);
            serverGone = !reusable;
            throw refusals.onCommand(e, key);
        } catch (RuntimeException e) {
            serverGone = !Thread.currentThread().isInterrupted();
            throw refusals.onCommand(e, key);
        } finally {
            if (serverGone) {
                // the idle connections led to the same server: let the next call find the new one
                pool.clear();
            }
            giveBack(connection, reusable);
        }
    }

    private void giveBack(Connection connection, boolean reusable) {
        try {
            if (reusable) {
                pool.returnObject(connection);
            } else {
                connection.setBroken();
                pool.invalidateObject(connection);
            }
        } catch (Exception e) {
            // the pool was closed meanwhile; what Redis answered counts
            LOG.log(Level.DEBUG, "A connection could not be given back to its pool", e);
        }
    }

    /** Opens connections for those who need one, and not instead of each that broke. */
    private static final class Pool extends ConnectionPool {

        Pool(Connections connections, ConnectionPoolConfig config) {
            super(connections.pooled(), config);
        }

        /** From 2.13 on, commons-pool calls this after each broken connection: the one who had it would wait for it. */
        @Override
        public void addObject() throws Exception {
            if (getNumWaiters() > 0) {
                super.addObject();
            }
        }
    }
}
