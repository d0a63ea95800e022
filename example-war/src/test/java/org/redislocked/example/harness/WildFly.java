package org.redislocked.example.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** WildFly with a configuration that it comes with; each node is a copy of it. */
record WildFly() implements Server {

    @Override
    public String name() {
        return "wildfly";
    }

    @Override
    public Launch layOut(Path directory, Ports ports, Cargo cargo) throws IOException {
        Path home = Settings.existing("wildfly");
        Path configuration = directory.resolve("configuration");
        Directories.copy(home.resolve("standalone/configuration"), configuration);
        boolean full = cargo.equipment() == Equipment.FULL;
        Path server = configuration.resolve(full ? "standalone-full.xml" : "standalone.xml");
        String lean = Files.readString(server)
                .replace("scan-interval=\"5000\"", "scan-interval=\"200\" auto-deploy-zipped=\"false\"");
        Files.writeString(server, full ? withMore(lean, ports) : lean);
        Path applications = Files.createDirectories(directory.resolve("deployments"));
        WildFlyMarkers deployer = new WildFlyMarkers(applications);
        for (Archive archive : cargo.archives()) {
            deployer.offer(archive);
        }
        return new Launch(
                List.of(
                        "sh",
                        home.resolve("bin/standalone.sh").toString(),
                        "-b",
                        "127.0.0.1",
                        "-c",
                        server.getFileName().toString(),
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
                        "JAVA_OPTS",
                        "-Xms64m -XX:MaxMetaspaceSize=256m -Djava.net.preferIPv4Stack=true "
                                + String.join(" ", cargo.equipment().jvmOptions()),
                        "LAUNCH_JBOSS_IN_BACKGROUND",
                        "true"),
                directory.resolve("log/server.log"),
                "WFLYCTL0013",
                deployer,
                List.of(
                        "sh",
                        home.resolve("bin/jboss-cli.sh").toString(),
                        "--connect",
                        "--controller=127.0.0.1:" + ports.get(2)));
    }

    private static String withMore(String standaloneFull, Ports ports) {
        return standaloneFull
                .replace("port=\"3528\"", "port=\"" + ports.get(4) + '"')
                .replace("port=\"3529\"", "port=\"" + ports.get(5) + '"')
                .replace("max-active-beans=\"10000\"", "max-active-beans=\"1\"")
                .replace(
                        "<extension module=\"org.wildfly.extension.microprofile.jwt-smallrye\"/>",
                        "<extension module=\"org.wildfly.extension.microprofile.jwt-smallrye\"/>"
                                + "<extension module=\"org.wildfly.extension.microprofile.fault-tolerance-smallrye\"/>")
                .replace(
                        "<profile>",
                        "<profile><subsystem xmlns=\"urn:wildfly:microprofile-fault-tolerance-smallrye:1.0\"/>");
    }
}
