package org.redislocked.example.harness;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.h2.tools.Server;

/** A database in this JVM that all nodes share over TCP. */
public final class Database implements AutoCloseable {

    private static final String NAME = "mem:trial;DB_CLOSE_DELAY=-1";

    private final Server server;

    private Database(Server server) {
        this.server = server;
    }

    /** Starts it, empty. */
    public static Database start() throws SQLException {
        DriverManager.getConnection("jdbc:h2:" + NAME).close(); // clients must not create it
        return new Database(Server.createTcpServer("-tcpPort", "0").start());
    }

    /** {@return the address for data sources of the nodes} */
    public String url() {
        return "jdbc:h2:tcp://localhost:" + server.getPort() + '/' + NAME;
    }

    /** {@return a connection for the test itself} */
    public Connection connect() throws SQLException {
        return DriverManager.getConnection("jdbc:h2:" + NAME);
    }

    /** Ends it, with all it holds. */
    @Override
    public void close() throws SQLException {
        try (Connection connection = connect();
                var statement = connection.createStatement()) {
            statement.execute("SHUTDOWN");
        }
        server.stop();
    }
}
