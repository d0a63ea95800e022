package org.redislocked.example.harness;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Which servers run together. */
public enum Fleet {
    /** Two Open Liberty nodes. */
    LIBERTY(new Liberty(), new Liberty()),
    /** Two WildFly nodes. */
    WILDFLY(new WildFly(), new WildFly()),
    /** Two Payara nodes. */
    PAYARA(new Payara(), new Payara()),
    /** One node of each. */
    MIXED(new Liberty(), new WildFly(), new Payara());

    private final List<Server> servers;

    Fleet(Server... servers) {
        this.servers = List.of(servers);
    }

    List<Server> servers() {
        return servers;
    }

    /** {@return what {@code -Dserver} asked for, or every fleet} */
    public static List<Fleet> wanted() {
        return Settings.server().equals("all") ? List.of(values()) : List.of(named(Settings.server()));
    }

    /** {@return those of {@link #wanted()} whose servers are all the same; maybe none} */
    public static List<Fleet> wantedOfOneKind() {
        return wanted().stream().filter(fleet -> fleet != MIXED).toList();
    }

    static Fleet named(String name) {
        return Arrays.stream(values())
                .filter(fleet -> fleet.toString().equals(name))
                .findFirst()
                .orElseThrow(() ->
                        new IllegalArgumentException("-Dserver=" + name + " is none of " + Arrays.toString(values())));
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
