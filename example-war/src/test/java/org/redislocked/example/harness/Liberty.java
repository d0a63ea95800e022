package org.redislocked.example.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Open Liberty with the features that the shop needs; each node is a user directory with one server. */
record Liberty() implements Server {

    private static final String SERVER_XML = """
            <server>
              <featureManager>
                <feature>restfulWS-3.1</feature>
                <feature>jsonp-2.1</feature>
                <feature>cdi-4.0</feature>
                <feature>enterpriseBeansLite-4.0</feature>
                <feature>concurrent-3.0</feature>
                <feature>mpConfig-3.1</feature>
                <feature>jndi-1.0</feature>
              </featureManager>
              <httpEndpoint id="defaultHttpEndpoint" host="127.0.0.1" httpPort="%d" httpsPort="-1"/>
              <applicationManager autoExpand="true"/>
              <applicationMonitor updateTrigger="disabled"/>
              <config updateTrigger="disabled"/>
              <webApplication location="%s" contextRoot="/%s"/>
            </server>
            """;

    @Override
    public String name() {
        return "liberty";
    }

    @Override
    public Launch layOut(Path directory, Ports ports) throws IOException {
        String server = directory.getFileName().toString();
        Path home = Settings.existing("liberty");
        Path configuration =
                Files.createDirectories(directory.resolve("servers").resolve(server));
        Files.writeString(
                configuration.resolve("server.xml"),
                SERVER_XML.formatted(ports.http(), Settings.existing("war"), CONTEXT));
        Files.writeString(configuration.resolve("jvm.options"), "-Xmx512m\n");
        return new Launch(
                List.of("sh", home.resolve("bin/server").toString(), "run", server),
                List.of(),
                Map.of("WLP_USER_DIR", directory.toString()),
                configuration.resolve("logs/messages.log"),
                "CWWKZ0002E");
    }
}
