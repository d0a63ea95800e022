package org.redislocked.trial.cases;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** What the library writes into the server's log meanwhile; on every server that is java.util.logging underneath. */
final class LibraryLog extends Handler implements AutoCloseable {

    private static final Logger LOGGER = Logger.getLogger("org.redislocked");

    private final SimpleFormatter formatter = new SimpleFormatter();
    private final List<String> lines = new CopyOnWriteArrayList<>();

    /** Begins to listen. */
    LibraryLog() {
        LOGGER.addHandler(this);
    }

    /** {@return level and text of what was written about the lock} */
    List<String> of(String lock) {
        return lines.stream().filter(line -> line.contains("'" + lock + "'")).toList();
    }

    @Override
    public void publish(LogRecord entry) {
        // other names are in use for the same levels
        int level = entry.getLevel().intValue();
        String name = level >= Level.SEVERE.intValue() ? "ERROR" : level >= Level.WARNING.intValue() ? "WARNING" : "";
        lines.add(name + " " + formatter.formatMessage(entry));
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        LOGGER.removeHandler(this);
    }
}
