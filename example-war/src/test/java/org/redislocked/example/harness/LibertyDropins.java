package org.redislocked.example.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Open Liberty looks for applications in a directory, and tells in its log what became of them.
 *
 * @param directory where it looks several times a second
 * @param log where it tells
 */
record LibertyDropins(Path directory, Log log) implements Deployer {

    static final String FAILED = "CWWKZ0002E";

    private static final String STARTED = "CWWKZ0001I: Application ";
    private static final String STOPPED = "CWWKZ0009I: The application ";
    private static final String NOT_STOPPED = "CWWKZ0010E";

    @Override
    public boolean deploy(Archive archive) throws IOException, InterruptedException {
        int before = log.end();
        archive.copyInto(directory);
        return Waiting.until(
                () -> log.since(before).contains(STARTED + archive.name() + ' '),
                () -> log.since(before).contains(FAILED));
    }

    @Override
    public boolean undeploy(Archive archive) throws IOException, InterruptedException {
        int before = log.end();
        Files.delete(directory.resolve(archive.fileName()));
        return Waiting.until(
                () -> log.since(before).contains(STOPPED + archive.name() + ' '),
                () -> log.since(before).contains(NOT_STOPPED));
    }
}
