package org.redislocked.example.harness;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;

/** What the build tells the harness in {@code harness.properties}: which servers, and where they and the WAR lie. */
final class Settings {

    private static final Properties PROPERTIES = read();

    private Settings() {}

    /** {@return what {@code -Dserver} asked for: {@code all} or the name of a {@link Fleet}} */
    static String server() {
        return PROPERTIES.getProperty("server");
    }

    /** {@return the file or directory of this name, which the build must have made} */
    static Path existing(String name) {
        Path path = Path.of(PROPERTIES.getProperty(name));
        if (!Files.exists(path)) {
            throw new IllegalStateException(path + " is missing. Maven makes it: run the line that the README gives, "
                    + "with -Dserver=" + server() + " or without -Dserver");
        }
        return path;
    }

    /** {@return where the nodes keep their files and logs} */
    static Path nodes() {
        return Path.of(PROPERTIES.getProperty("nodes"));
    }

    private static Properties read() {
        try (InputStream in = Settings.class.getResourceAsStream("/harness.properties")) {
            var properties = new Properties();
            properties.load(in);
            return properties;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
