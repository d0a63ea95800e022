package org.redislocked.example.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.h2.jdbcx.JdbcDataSource;

/** Open Liberty with the features that are needed; each node is a user directory with one server. */
record Liberty() implements Server {

    private static final List<String> LEAN = List.of(
            "restfulWS-3.1",
            "jsonp-2.1",
            "cdi-4.0",
            "enterpriseBeansLite-4.0",
            "concurrent-3.0",
            "mpConfig-3.1",
            "jndi-1.0");

    private static final List<String> MORE = List.of(
            "servlet-6.0",
            "jdbc-4.3",
            "mdb-4.0",
            "messaging-3.1",
            "messagingServer-3.0",
            "messagingClient-3.0",
            "mpFaultTolerance-4.0");

    /** It does not make these of itself: a connection factory, and what joins the trial's listener to its queue. */
    private static final String MESSAGING = """
              <jmsConnectionFactory id="DefaultJMSConnectionFactory"><properties.wasJms/></jmsConnectionFactory>
              <jmsActivationSpec id="trial/QueueListener"><properties.wasJms/></jmsActivationSpec>
            """;

    private static final String SERVER_XML = """
            <server>
              <featureManager>
            %s
              </featureManager>
              <httpEndpoint id="defaultHttpEndpoint" host="127.0.0.1" httpPort="%d" httpsPort="-1"/>
              <wasJmsEndpoint host="127.0.0.1" wasJmsPort="%d" wasJmsSSLPort="-1"/>
              <applicationManager autoExpand="true"/>
              <applicationMonitor updateTrigger="polled" pollingRate="200ms"/>
              <config updateTrigger="disabled"/>
            %s</server>
            """;

    @Override
    public String name() {
        return "liberty";
    }

    @Override
    public Launch layOut(Path directory, Ports ports, Cargo cargo) throws IOException {
        String server = directory.getFileName().toString();
        Path home = Settings.existing("liberty");
        Path configuration =
                Files.createDirectories(directory.resolve("servers").resolve(server));
        Files.writeString(
                configuration.resolve("server.xml"),
                SERVER_XML.formatted(
                        features(cargo.equipment()),
                        ports.http(),
                        ports.get(1),
                        cargo.equipment() == Equipment.FULL ? MESSAGING : ""));
        Files.write(configuration.resolve("jvm.options"), cargo.equipment().jvmOptions());
        if (cargo.equipment() == Equipment.FULL) {
            Path driver = Wars.jarOf(JdbcDataSource.class);
            Path shared = Files.createDirectories(configuration.resolve("lib/global"));
            Files.copy(driver, shared.resolve(driver.getFileName()));
        }
        Path applications = configuration.resolve("dropins");
        for (Archive archive : cargo.archives()) {
            archive.copyInto(applications);
        }
        Path log = configuration.resolve("logs/messages.log");
        return new Launch(
                List.of("sh", home.resolve("bin/server").toString(), "run", server),
                List.of(),
                Map.of("WLP_USER_DIR", directory.toString()),
                log,
                LibertyDropins.FAILED,
                new LibertyDropins(applications, new Log(log)),
                List.of());
    }

    private static String features(Equipment equipment) {
        return Stream.concat(LEAN.stream(), equipment == Equipment.FULL ? MORE.stream() : Stream.empty())
                .map(feature -> "    <feature>" + feature + "</feature>")
                .collect(Collectors.joining("\n"));
    }
}
