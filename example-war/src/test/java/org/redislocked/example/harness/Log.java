package org.redislocked.example.harness;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A file to which a server writes.
 *
 * @param file which need not be there yet
 */
record Log(Path file) {

    private static final int TAIL = 60;

    /** {@return all of it so far} */
    String text() {
        return since(0);
    }

    /** {@return where it ends now} */
    int end() {
        return bytes().length;
    }

    /** {@return what was written after {@link #end()} was this} */
    String since(int end) {
        byte[] bytes = bytes();
        return new String(bytes, end, bytes.length - end, StandardCharsets.UTF_8);
    }

    /** {@return its last lines, under a heading} */
    String tail() {
        List<String> lines = text().lines().toList();
        return "\n--- the end of " + file + '\n'
                + String.join("\n", lines.subList(Math.max(0, lines.size() - TAIL), lines.size()));
    }

    private byte[] bytes() {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            return new byte[0];
        }
    }
}
