package org.redislocked.example.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * An application to deploy.
 *
 * @param name what servers call it; for a WAR its context root, too
 * @param file a WAR or an EAR
 */
public record Archive(String name, Path file) {

    /** {@return the name and the ending of the file, from which WildFly and Open Liberty take the name} */
    String fileName() {
        String file = this.file.getFileName().toString();
        return name + file.substring(file.lastIndexOf('.'));
    }

    /** Puts a copy into the directory, in one step: servers that watch it never see half of it. */
    void copyInto(Path directory) throws IOException {
        Path copy = Files.copy(file, Files.createDirectories(directory).resolveSibling(fileName() + ".part"));
        Files.move(copy, directory.resolve(fileName()));
    }
}
