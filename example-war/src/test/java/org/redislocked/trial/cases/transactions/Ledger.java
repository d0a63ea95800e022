package org.redislocked.trial.cases.transactions;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Amounts in the shared database. To be used outside a transaction first: then it makes its table. */
@ApplicationScoped
public class Ledger {

    @Resource(lookup = "java:app/jdbc/trial")
    DataSource database;

    @PostConstruct
    void create() {
        try (var connection = database.getConnection();
                var statement = connection.createStatement()) {
            statement.execute("CREATE TABLE IF NOT EXISTS ledger (name VARCHAR(100) PRIMARY KEY, amount INT)");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    public void write(String name, int amount) throws SQLException {
        try (var connection = database.getConnection();
                var statement =
                        connection.prepareStatement("MERGE INTO ledger (name, amount) KEY (name) VALUES (?, ?)")) {
            statement.setString(1, name);
            statement.setInt(2, amount);
            statement.executeUpdate();
        }
    }

    public int read(String name) throws SQLException {
        try (var connection = database.getConnection();
                var statement = connection.prepareStatement("SELECT amount FROM ledger WHERE name = ?")) {
            statement.setString(1, name);
            try (var rows = statement.executeQuery()) {
                rows.next();
                return rows.getInt(1);
            }
        }
    }
}
