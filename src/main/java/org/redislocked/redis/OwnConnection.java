package org.redislocked.redis;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.SocketTimeoutException;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.PushConsumerChain;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.util.RedisInputStream;

/**
 * A connection outside the pool, on which one thread may read while another sends or ends it, and on which silence is
 * no error.
 *
 * <p>Signals use it instead of {@code JedisPubSub}, whose loop ends with an exception of a callback, has no time-out,
 * and refuses calls before it runs.
 */
final class OwnConnection extends Connection {

    /** What {@link #read()} gives if nothing came in the time-out. */
    static final Object SILENCE = new Object();

    /** False while the constructor of the superclass connects and greets. */
    private final boolean open;

    OwnConnection(HostAndPort address, JedisClientConfig config) {
        super(address, config);
        open = true;
    }

    /** Connects once only: what the superclass would connect again on sending, would be nobody's. */
    @Override
    public void connect() {
        if (!open) {
            super.connect();
        } else if (!isConnected()) {
            throw new JedisConnectionException("The connection was ended");
        }
    }

    /** Sends soon: when enough has come together, or at {@link #flush()}. */
    void send(CommandArguments command) {
        sendCommand(command);
    }

    @Override
    protected void flush() {
        super.flush();
    }

    /** {@return the next reply or message, or {@link #SILENCE}} */
    Object read() {
        return getUnflushedObject();
    }

    @Override
    protected Object protocolRead(RedisInputStream in, PushConsumerChain consumers) {
        try {
            // waits for the first byte without taking it; a time-out after it leaves half a reply, and stays an error
            in.peek((byte) 0);
        } catch (JedisConnectionException e) {
            if (open && e.getCause() instanceof SocketTimeoutException) {
                return SILENCE;
            }
            throw e;
        }
        return super.protocolRead(in, consumers);
    }

    /** Closes the socket under whoever reads or sends, without a farewell to a server that may not take it. */
    void end() {
        try {
            forceDisconnect();
        } catch (IOException e) {
            // it is gone, as it should be
            System.getLogger(OwnConnection.class.getPackageName())
                    .log(Level.DEBUG, "A connection did not close cleanly", e);
        }
    }
}
