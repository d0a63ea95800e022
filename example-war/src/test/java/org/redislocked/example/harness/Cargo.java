package org.redislocked.example.harness;

import java.util.List;
import java.util.Map;

/** What the nodes of a fleet run. */
public interface Cargo {

    /** {@return the name of the directory for the nodes' files} */
    String name();

    /** {@return what is deployed from the start, on each node} */
    List<Archive> archives();

    /** {@return what the servers must be able to do} */
    Equipment equipment();

    /** {@return a path that is answered with status 200 once a node is ready} */
    String ready();

    /** {@return the environment variables of a node} */
    Map<String, String> environment(Node node, List<Node> all);
}
