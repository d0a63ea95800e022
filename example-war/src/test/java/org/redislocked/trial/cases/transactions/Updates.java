package org.redislocked.trial.cases.transactions;

import static org.junit.jupiter.api.Assertions.assertEquals;

import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedThreadFactory;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.UserTransaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import javax.sql.DataSource;
import org.redislocked.LockName;
import org.redislocked.RedisLocked;
import org.redislocked.ReentrantRedisLock;

/** Many threads add to one amount: read it, and write what it is then, in a transaction that began before the lock. */
@ApplicationScoped
public class Updates {

    private static final String LOCK = "updates";
    private static final int THREADS = 16;
    private static final int UPDATES_OF_THREAD = 5;

    @Resource
    ManagedThreadFactory threads;

    @Inject
    UserTransaction transaction;

    @Inject
    Row row;

    /** {@return how many were committed} */
    public int releasedBeforeCommit() throws InterruptedException {
        return inThreads(row::addReleasingEarly);
    }

    /** {@return how many were committed} */
    public int releasedAfterCommit() throws InterruptedException {
        return inThreads(row::add);
    }

    private int inThreads(Work add) throws InterruptedException {
        List<FutureTask<Integer>> tasks = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            tasks.add(new FutureTask<>(() -> inTransactions(add)));
        }
        tasks.forEach(task -> threads.newThread(task).start());
        int committed = 0;
        for (FutureTask<Integer> task : tasks) {
            try {
                committed += task.get();
            } catch (ExecutionException e) {
                throw new IllegalStateException(e.getCause());
            }
        }
        return committed;
    }

    private int inTransactions(Work add) throws Exception {
        for (int i = 0; i < UPDATES_OF_THREAD; i++) {
            transaction.begin();
            try {
                add.run();
                Thread.sleep(1); // for whatever else there is to do in the transaction
            } catch (Exception | Error e) {
                transaction.rollback();
                throw e;
            }
            transaction.commit();
        }
        return UPDATES_OF_THREAD;
    }

    /** The one row that all add to. */
    @ApplicationScoped
    public static class Row {

        @Resource(lookup = "java:app/jdbc/trial")
        DataSource database;

        @Inject
        @LockName(LOCK)
        ReentrantRedisLock lock;

        @RedisLocked(LOCK)
        public void add() throws SQLException {
            readAndWrite();
        }

        /** As one would write it without this library: its lock knows nothing of the transaction. */
        public void addReleasingEarly() throws SQLException {
            lock.lock();
            try {
                readAndWrite();
            } finally {
                lock.unlock();
            }
        }

        private void readAndWrite() throws SQLException {
            try (var connection = database.getConnection();
                    var statement = connection.createStatement()) {
                assertEquals(Connection.TRANSACTION_READ_COMMITTED, connection.getTransactionIsolation());
                int amount;
                try (var rows = statement.executeQuery("SELECT amount FROM updates")) {
                    rows.next();
                    amount = rows.getInt(1);
                }
                statement.executeUpdate("UPDATE updates SET amount = " + (amount + 1));
            }
        }
    }
}
