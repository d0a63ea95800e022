package org.redislocked.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads what Redis and its clients say to each other (RESP2), value by value, and keeps the bytes as they came. */
final class RespReader {

    private final InputStream in;
    private final ByteArrayOutputStream raw = new ByteArrayOutputStream();

    RespReader(InputStream in) {
        this.in = new BufferedInputStream(in);
    }

    /**
     * One value with all that is nested in it.
     *
     * @param content a string, a list of such contents, or null
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Value(byte[] raw, @Nullable Object content) {

        /** {@return the value as text} An error begins with a minus. */
        String text() {
            return (raw[0] == '-' ? "-" : "") + content;
        }

        /** {@return the elements of a flat list, else the value alone} */
        List<String> strings() {
            List<?> elements = content instanceof List<?> list ? list : List.of(String.valueOf(content));
            return elements.stream().map(String::valueOf).toList();
        }
    }

    /** Reads the next value; {@code EOFException} says that there is none. */
    Value read() throws IOException {
        raw.reset();
        Object content = content();
        return new Value(raw.toByteArray(), content);
    }

    private @Nullable Object content() throws IOException {
        int type = next();
        String line = line();
        return switch (type) {
            case '+', '-', ':' -> line;
            case '$' -> line.equals("-1") ? null : bulk(Integer.parseInt(line));
            case '*' -> line.equals("-1") ? null : list(Integer.parseInt(line));
            default -> throw new IOException("Not RESP2: " + (char) type + line);
        };
    }

    private String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int each = next(); each != '\r'; each = next()) {
            line.write(each);
        }
        next(); // \n
        return line.toString(UTF_8);
    }

    private String bulk(int length) throws IOException {
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length) {
            throw new EOFException();
        }
        raw.writeBytes(bytes);
        line();
        return new String(bytes, UTF_8);
    }

    private List<@Nullable Object> list(int size) throws IOException {
        List<@Nullable Object> list = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            list.add(content());
        }
        return list;
    }

    private int next() throws IOException {
        int next = in.read();
        if (next < 0) {
            throw new EOFException();
        }
        raw.write(next);
        return next;
    }
}
