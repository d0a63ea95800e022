package org.redislocked.example.harness;

import java.util.List;

/** What the servers must be able to do: less starts sooner. */
public enum Equipment {
    /** What the shop needs. */
    LEAN,
    /**
     * All that tests inside a server may want: data sources, messaging and MicroProfile Fault Tolerance as well; and soft
     * references are cleared by each garbage collection, so that it shows who holds a class loader for good.
     */
    FULL;

    /** {@return what to give the JVM of the server} */
    List<String> jvmOptions() {
        return this == FULL ? List.of("-Xmx512m", "-XX:SoftRefLRUPolicyMSPerMB=0") : List.of("-Xmx512m");
    }
}
