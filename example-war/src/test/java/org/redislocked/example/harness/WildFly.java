package org.redislocked.example.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** WildFly with its stock {@code standalone.xml}; each node is a copy of the configuration. */
record WildFly() implements Server {

    @Override
    public String name() {
        return "wildfly";
    }

    @Override
    public Launch layOut(Path directory, Ports ports) throws IOException {
        Path home = Settings.existing("wildfly");
        Directories.copy(home.resolve("standalone/configuration"), directory.resolve("configuration"));
        Path deployments = Files.createDirectories(directory.resolve("deployments"));
        Files.copy(Settings.existing("war"), deployments.resolve(CONTEXT + ".war"));
        return new Launch(
                List.of(
                        "sh",
                        home.resolve("bin/standalone.sh").toString(),
                        "-b",
                        "127.0.0.1",
                        "-Djboss.server.base.dir=" + directory,
                        "-Djboss.node.name=" + directory.getFileName(),
                        "-Djboss.tx.node.id=" + directory.getFileName(),
                        "-Djboss.http.port=" + ports.http(),
                        "-Djboss.https.port=" + ports.get(1),
                        "-Djboss.management.http.port=" + ports.get(2),
                        "-Djboss.management.https.port=" + ports.get(3)),
                List.of(),
                // The script hands SIGTERM on to the server only if the server runs in the background.
                Map.of(
                        "JAVA_OPTS", "-Xms64m -Xmx512m -XX:MaxMetaspaceSize=256m -Djava.net.preferIPv4Stack=true",
                        "LAUNCH_JBOSS_IN_BACKGROUND", "true"),
                directory.resolve("log/server.log"),
                "WFLYCTL0013");
    }
}
