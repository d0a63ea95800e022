package org.redislocked.trial.cases;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.TransactionSynchronizationRegistry;
import jakarta.transaction.Transactional;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.redislocked.LockName;
import org.redislocked.RedisLocked;
import org.redislocked.ReentrantRedisLock;
import org.redislocked.trial.Here;
import org.redislocked.trial.InContainer;

/** What all else builds on. */
@ApplicationScoped
public class Basics {

    @Inject
    Here here;

    @Inject
    @LockName("basics-injected")
    ReentrantRedisLock injected;

    @Resource
    TransactionSynchronizationRegistry transactions;

    @Resource(lookup = "java:app/jdbc/trial")
    DataSource database;

    @InContainer
    public void case_called_hasNoTransaction() {
        assertEquals(null, transactions.getTransactionKey());
    }

    @InContainer
    @RedisLocked("basics-declared")
    public void lockedMethod_running_holdsTheLockInRedis() {
        assertEquals(1, here.countInRedis("basics-declared"));
    }

    @InContainer
    public void injectedLock_lockedTwice_countsTwoInRedis() {
        injected.lock();
        injected.lock();
        assertEquals(2, here.countInRedis("basics-injected"));
        injected.unlock();
        injected.unlock();
        assertEquals(0, here.countInRedis("basics-injected"));
    }

    @InContainer
    public void injectedLock_heldHere_isBusyThere() throws IOException, InterruptedException {
        injected.lock();
        try {
            assertTrue(here.runOnOther(Basics.class, "tryInjected").contains("false"));
        } finally {
            injected.unlock();
        }
        assertTrue(here.runOnOther(Basics.class, "tryInjected").contains("true"));
    }

    /** For the other node. */
    public boolean tryInjected() throws InterruptedException {
        boolean locked = injected.tryLock(0, TimeUnit.SECONDS);
        if (locked) {
            injected.unlock();
        }
        return locked;
    }

    @InContainer
    @Transactional
    public void database_inTransaction_keepsWhatIsWritten() throws SQLException {
        assertFalse(transactions.getTransactionKey() == null);
        try (Connection connection = database.getConnection();
                var statement = connection.createStatement()) {
            statement.execute("CREATE LOCAL TEMPORARY TABLE IF NOT EXISTS basics (id INT PRIMARY KEY, text VARCHAR)");
            statement.executeUpdate("MERGE INTO basics VALUES (1, 'written')");
            try (var rows = statement.executeQuery("SELECT text FROM basics WHERE id = 1")) {
                assertTrue(rows.next());
                assertEquals("written", rows.getString(1));
            }
        }
    }
}
