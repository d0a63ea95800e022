package org.redislocked.example.harness;

import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.h2.jdbcx.JdbcDataSource;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.junit.jupiter.api.Assertions;
import org.junit.platform.commons.JUnitException;
import org.opentest4j.AssertionFailedError;
import org.redislocked.trial.InContainer;
import org.redislocked.trial.cases.Basics;

/**
 * The WAR with the cases that run inside the servers.
 *
 * @param redis which its nodes share
 * @param archives the WAR
 */
public record Trial(URI redis, List<Archive> archives) implements Cargo {

    private static final String CONTEXT = "trial";

    /** Without an isolation level: READ_COMMITTED is H2's own, and WildFly 39 would make READ_UNCOMMITTED of it. */
    private static final String WEB_XML = """
            <web-app xmlns="https://jakarta.ee/xml/ns/jakartaee" version="6.0">
              <data-source>
                <name>java:app/jdbc/trial</name>
                <class-name>%s</class-name>
                <url>%s</url>
                <user></user>
                <password></password>
                <transactional>true</transactional>
                <max-pool-size>40</max-pool-size>
              </data-source>
            </web-app>
            """;

    /** Has WildFly passivate this bean when there are others. */
    private static final String JBOSS_EJB3_XML = """
            <jboss:ejb-jar xmlns:jboss="urn:jboss:jakartaee:1.0" xmlns="https://jakarta.ee/xml/ns/jakartaee"
                xmlns:cache="urn:ejb-cache:2.0" version="4.0">
              <assembly-descriptor>
                <cache:cache>
                  <ejb-name>StatefulBean</ejb-name>
                  <cache:cache-ref>distributable</cache:cache-ref>
                </cache:cache>
              </assembly-descriptor>
            </jboss:ejb-jar>
            """;

    /** Builds the WAR, whose data source is this database. */
    public static Trial of(URI redis, Database database) throws IOException {
        var war = Wars.withLibrary(CONTEXT)
                .addPackage(InContainer.class.getPackage())
                .addPackages(true, Basics.class.getPackage())
                .addAsResource(new StringAsset("redis-lock.lease-time=5s\n"), "META-INF/microprofile-config.properties")
                .addAsWebInfResource(new StringAsset(JBOSS_EJB3_XML), "jboss-ejb3.xml")
                .setWebXML(new StringAsset(WEB_XML.formatted(JdbcDataSource.class.getName(), database.url())));
        for (Class<?> used :
                List.of(JdbcDataSource.class, Assertions.class, AssertionFailedError.class, JUnitException.class)) {
            war.addAsLibrary(Wars.jarOf(used).toFile());
        }
        return new Trial(redis, List.of(Wars.write(war)));
    }

    @Override
    public String name() {
        return CONTEXT;
    }

    @Override
    public Equipment equipment() {
        return Equipment.FULL;
    }

    @Override
    public String ready() {
        return CONTEXT + "/cases";
    }

    @Override
    public Map<String, String> environment(Node node, List<Node> all) {
        Node other = all.stream().filter(n -> n != node).findAny().orElse(node);
        return Map.of(
                "REDIS_LOCK_URI", redis.toString(),
                "REDIS_LOCK_CLIENT_NAME", node.name(),
                "TRIAL_SERVER", node.name().replaceFirst("-.*", ""),
                "TRIAL_OTHER", other.uri(CONTEXT).toString());
    }

    /** {@return a client of the cases on this node} */
    public static Client cases(Node node) {
        return node.client(CONTEXT);
    }
}
