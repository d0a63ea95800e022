package org.redislocked.example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import jakarta.json.JsonObject;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.redislocked.example.harness.Client;
import org.redislocked.example.harness.Database;
import org.redislocked.example.harness.Fleet;
import org.redislocked.example.harness.RunningNodes;
import org.redislocked.example.harness.Trial;

/**
 * All nodes with 16 threads each add to one row of the shared database, by reading it and then writing it: an update is
 * lost where the next thread reads before the last one has committed.
 */
final class LostUpdates {

    /** Some seconds' worth, unless all that was promised is asked for, by {@code -Dfull}. */
    private static final boolean FULL = System.getProperty("full") != null;

    private final Fleet fleet;
    private final Database database;
    private final List<Client> nodes;

    LostUpdates(Fleet fleet, RunningNodes running, Database database) {
        this.fleet = fleet;
        this.database = database;
        nodes = running.nodes().stream().map(Trial::cases).toList();
    }

    void run() throws SQLException {
        execute("CREATE TABLE IF NOT EXISTS updates (amount INT)");
        int early = lost("releasedBeforeCommit", "released before the commit", FULL ? 1_000 : 150);
        int late = lost("releasedAfterCommit", "released after the commit", late());
        assertTrue(early > 0, "updates are lost if the lock is released before the commit, or this test shows nothing");
        assertEquals(0, late, "lost updates");
    }

    private int late() {
        if (!FULL) {
            return 300;
        }
        return fleet == Fleet.LIBERTY ? 10_000 : 2_000;
    }

    /** {@return how many of at least so many updates are missing} */
    private int lost(String method, String title, int atLeast) throws SQLException {
        execute("DELETE FROM updates");
        execute("INSERT INTO updates VALUES (0)");
        long begun = System.nanoTime();
        int done = 0;
        while (done < atLeast) {
            List<CompletableFuture<JsonObject>> answers = nodes.stream()
                    .map(node -> node.postAsync("cases/Updates/" + method))
                    .toList();
            for (CompletableFuture<JsonObject> answer : answers) {
                JsonObject outcome = answer.join();
                assertEquals("passed", outcome.getString("outcome"), () -> outcome.getString("text"));
                done += Integer.parseInt(outcome.getString("result"));
            }
        }
        int lost = done - amount();
        System.out.printf(
                "%s · lock %s: %,d of %,d updates lost, %.1f s%n",
                fleet,
                title,
                lost,
                done,
                Duration.ofNanos(System.nanoTime() - begun).toMillis() / 1000.0);
        return lost;
    }

    private int amount() throws SQLException {
        try (var connection = database.connect();
                var statement = connection.createStatement();
                var rows = statement.executeQuery("SELECT amount FROM updates")) {
            rows.next();
            return rows.getInt(1);
        }
    }

    private void execute(String sql) throws SQLException {
        try (var connection = database.connect();
                var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
