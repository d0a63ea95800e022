package org.redislocked.redis;

import java.text.MessageFormat;
import java.util.function.Consumer;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Listens to the warnings of this package, and keeps them off the console. */
final class CapturedLog extends Handler implements AutoCloseable {

    private final Logger logger = Logger.getLogger(CapturedLog.class.getPackageName());
    private final Consumer<String> listener;

    CapturedLog(Consumer<String> listener) {
        this.listener = listener;
        logger.setUseParentHandlers(false);
        logger.addHandler(this);
    }

    @Override
    public void publish(LogRecord record) {
        if (record.getLevel().intValue() >= Level.WARNING.intValue()) {
            Object[] parameters = record.getParameters();
            listener.accept(
                    parameters == null ? record.getMessage() : MessageFormat.format(record.getMessage(), parameters));
        }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        logger.removeHandler(this);
        logger.setUseParentHandlers(true);
    }
}
