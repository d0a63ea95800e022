package org.redislocked.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.stream.Stream;

/** The names of the library's scripts, found by their text or its SHA-1. All that lie beside each other are known. */
final class ScriptNames {

    private static final String ONE_OF_THEM = "/org/redislocked/redis/acquire.lua";

    private final Map<String, String> names = new HashMap<>();
    private final Map<String, String> texts = new HashMap<>();

    static ScriptNames ofTheLibrary() {
        URL one = ScriptNames.class.getResource(ONE_OF_THEM);
        if (one == null) {
            throw new IllegalStateException(ONE_OF_THEM + " is not on the class path");
        }
        try {
            URI uri = one.toURI();
            ScriptNames scripts = new ScriptNames();
            if (uri.getScheme().equals("jar")) {
                try (FileSystem jar = FileSystems.newFileSystem(uri, Map.of())) {
                    scripts.readBeside(jar.getPath(ONE_OF_THEM));
                }
            } else {
                scripts.readBeside(Path.of(uri));
            }
            return scripts;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    /** {@return the name of the script with this text or SHA-1, empty if it is none of the library's} */
    String nameOf(String textOrSha) {
        return names.getOrDefault(textOrSha, "");
    }

    Collection<String> texts() {
        return texts.values();
    }

    private void readBeside(Path one) throws IOException {
        try (Stream<Path> files = Files.list(one.resolveSibling("."))) {
            for (Path file : files.toList()) {
                String name = file.getFileName().toString();
                if (name.endsWith(".lua")) {
                    add(name.substring(0, name.length() - ".lua".length()), Files.readString(file));
                }
            }
        }
    }

    private void add(String name, String text) {
        names.put(text, name);
        names.put(sha1(text), name);
        texts.put(name, text);
    }

    private static String sha1(String text) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(text.getBytes(UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
