package org.redislocked.testing;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** What the library logs from INFO upwards while this is open. */
public final class RecordedLog extends Handler implements AutoCloseable {
    private static final Logger LOGGER = Logger.getLogger("org.redislocked");

    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final Level before = LOGGER.getLevel();

    public RecordedLog() {
        LOGGER.addHandler(this);
        LOGGER.setLevel(Level.INFO);
    }

    public List<String> lines() {
        return lines;
    }

    public List<String> warnings() {
        return lines.stream().filter(line -> line.startsWith("WARNING")).toList();
    }

    @Override
    public void publish(LogRecord entry) {
        lines.add(entry.getLevel().getName() + " " + new SimpleFormatter().formatMessage(entry));
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        LOGGER.removeHandler(this);
        LOGGER.setLevel(before);
    }
}
