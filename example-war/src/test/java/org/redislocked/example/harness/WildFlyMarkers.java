package org.redislocked.example.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * WildFly looks for applications in a directory, and tells by empty files beside them what became of them.
 *
 * @param directory where it looks several times a second
 */
record WildFlyMarkers(Path directory) implements Deployer {

    @Override
    public boolean deploy(Archive archive) throws IOException, InterruptedException {
        Files.deleteIfExists(marker(archive, "undeployed"));
        Files.deleteIfExists(marker(archive, "failed"));
        offer(archive);
        return Waiting.until(
                () -> Files.exists(marker(archive, "deployed")), () -> Files.exists(marker(archive, "failed")));
    }

    @Override
    public boolean undeploy(Archive archive) throws IOException, InterruptedException {
        Files.delete(marker(archive, "deployed"));
        boolean undeployed = Waiting.until(() -> Files.exists(marker(archive, "undeployed")), () -> false);
        Files.delete(directory.resolve(archive.fileName()));
        return undeployed;
    }

    /** Puts it there with the marker that asks for it; what the server finds without, it would deploy when it likes. */
    void offer(Archive archive) throws IOException {
        archive.copyInto(directory);
        Files.createFile(marker(archive, "dodeploy"));
    }

    private Path marker(Archive archive, String state) {
        return directory.resolve(archive.fileName() + '.' + state);
    }
}
