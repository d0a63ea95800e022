package org.redislocked.history;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.tools.ToolProvider;
import org.redislocked.core.LockEngine;
import org.redislocked.testing.JavaProcess;

/** The library with a bug: some texts in its sources are replaced by others. */
record Mutant(List<Change> changes) {
    private static final Path SOURCES = Path.of(System.getProperty("basedir", "."), "src", "main");
    private static final String PACKAGES = "org/redislocked/";

    /** @param file in the package of the library, for example {@code core/Grant.java} */
    private record Change(String file, String text, String replacement) {

        Path source() {
            return SOURCES.resolve(file.endsWith(".java") ? "java" : "resources")
                    .resolve(PACKAGES + file);
        }

        String applyTo(String code) {
            int first = code.indexOf(text);
            if (first < 0 || code.indexOf(text, first + 1) >= 0) {
                throw new IllegalStateException("'" + text + "' is not there exactly once in " + file
                        + ": give the mutant another text to replace");
            }
            return code.replace(text, replacement);
        }
    }

    static Mutant of(String file, String text, String replacement) {
        return new Mutant(List.of(new Change(file, text, replacement)));
    }

    Mutant and(String file, String text, String replacement) {
        var more = new ArrayList<>(changes);
        more.add(new Change(file, text, replacement));
        return new Mutant(more);
    }

    /** Puts the changed classes and scripts into the directory, to go before the class path of the library. */
    void build(Path directory) throws IOException {
        var sources = Files.createDirectories(directory.resolve("sources"));
        for (var change : changes) {
            var root = change.file.endsWith(".java") ? sources : directory;
            var target = root.resolve(PACKAGES + change.file);
            Files.createDirectories(target.getParent());
            // Several changes of one file follow each other.
            var code = Files.readString(Files.exists(target) ? target : change.source());
            Files.writeString(target, change.applyTo(code));
        }
        compile(sources, directory);
    }

    private static void compile(Path sources, Path directory) throws IOException {
        var compiler = ToolProvider.getSystemJavaCompiler();
        try (var manager = compiler.getStandardFileManager(null, null, null);
                var files = Files.walk(sources)) {
            var classPath = library() + File.pathSeparator + JavaProcess.classPath();
            var options = List.of("-proc:none", "-nowarn", "-parameters", "-d", directory.toString(), "-cp", classPath);
            var units = manager.getJavaFileObjectsFromPaths(
                    files.filter(Files::isRegularFile).toList());
            var output = new StringWriter();
            if (units.iterator().hasNext()
                    && !compiler.getTask(output, manager, null, options, null, units)
                            .call()) {
                throw new IllegalStateException("The mutant does not compile:\n" + output);
            }
        }
    }

    private static Path library() {
        return Path.of(LockEngine.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .getPath());
    }
}
