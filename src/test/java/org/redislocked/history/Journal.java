package org.redislocked.history;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * Where a workload writes what happens, a line each. A line is with the operating system when {@link #write} returns, so
 * that it outlives a killed process.
 */
final class Journal implements AutoCloseable {
    /** What a line tells, and what follows: times are in nanoseconds. */
    enum Kind {
        /** ask id, thread, lock, from, limit */
        ASKED,
        /** ask id, until */
        ANSWERED,
        /** hold id, lock, token, asked, from */
        HELD,
        /** hold id, until when it is promised, as known now */
        PROMISED,
        /** hold id, how often it is entered if the next call succeeds */
        ENTERED,
        /** hold id, time before the last unlock is called */
        LEAVING,
        /** hold id, time after it, RELEASED or LOST */
        LEFT,
        /** hold id, token, when the refusal of a write was known */
        REFUSED,
        /** text */
        WRONG
    }

    private final FileOutputStream file;

    Journal(Path path) throws IOException {
        file = new FileOutputStream(path.toFile(), true);
    }

    void write(Kind kind, Object... values) {
        var line = kind + "\t"
                + Arrays.stream(values)
                        .map(value -> value.toString().replaceAll("\\s+", " "))
                        .collect(Collectors.joining("\t"))
                + "\n";
        try {
            file.write(line.getBytes(StandardCharsets.UTF_8)); // one call of the system, so lines stay whole
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
