package org.redislocked.example.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Payara Server; each node is a copy of the domain that it comes with, on other ports and without the data grid. */
record Payara() implements Server {

    private static final String DOMAIN = "domain1";

    @Override
    public String name() {
        return "payara";
    }

    @Override
    public Launch layOut(Path directory, Ports ports, Cargo cargo) throws IOException {
        Path home = Settings.existing("payara");
        Path domain = directory.resolve(DOMAIN);
        Directories.copy(home.resolve("glassfish/domains").resolve(DOMAIN), domain);
        Path configuration = domain.resolve("config/domain.xml");
        Files.writeString(
                configuration,
                onPorts(Files.readString(configuration), ports)
                        .replace("<jvm-options>-Xmx512m</jvm-options>", jvmOptions(cargo.equipment())));
        Path commands = Files.writeString(
                directory.resolve("deploy.txt"),
                cargo.archives().stream()
                        .map(archive -> String.join(" ", PayaraAdmin.arguments(archive)))
                        .collect(Collectors.joining("\n")));
        // The script takes the JVM from here, not from JAVA_HOME.
        Map<String, String> environment = Map.of("AS_JAVA", System.getProperty("java.home"));
        String asadmin = home.resolve("bin/asadmin").toString();
        List<String> administration = List.of("sh", asadmin, "--port", Integer.toString(ports.get(2)));
        return new Launch(
                List.of(
                        "sh",
                        asadmin,
                        "start-domain",
                        "--verbose",
                        "--postbootcommandfile",
                        commands.toString(),
                        "--domaindir",
                        directory.toString(),
                        DOMAIN),
                List.of("sh", asadmin, "stop-domain", "--domaindir", directory.toString(), DOMAIN),
                environment,
                domain.resolve("logs/server.log"),
                "PlainTextActionReporterFAILURE",
                new PayaraAdmin(administration, environment, directory.resolve("asadmin.log")),
                administration);
    }

    private static String jvmOptions(Equipment equipment) {
        return equipment.jvmOptions().stream()
                .map(option -> "<jvm-options>" + option + "</jvm-options>")
                .collect(Collectors.joining());
    }

    private static String onPorts(String domainXml, Ports ports) {
        return domainXml
                .replace("port=\"8080\"", "port=\"" + ports.http() + '"')
                .replace("port=\"8181\"", "port=\"" + ports.get(1) + '"')
                .replace("port=\"4848\"", "port=\"" + ports.get(2) + '"')
                .replace("port=\"3700\"", "port=\"" + ports.get(3) + '"')
                .replace("port=\"3820\"", "port=\"" + ports.get(4) + '"')
                .replace("port=\"3920\"", "port=\"" + ports.get(5) + '"')
                .replace("port=\"8686\"", "port=\"" + ports.get(6) + '"')
                .replace("value=\"7676\"", "value=\"" + ports.get(7) + '"')
                .replace("das-port=\"4900\"", "das-port=\"" + ports.get(8) + '"')
                .replace("start-port=\"5900\"", "start-port=\"" + ports.get(9) + '"')
                .replace(
                        "<hazelcast-config-specific-configuration></",
                        "<hazelcast-config-specific-configuration enabled=\"false\"></");
    }
}
