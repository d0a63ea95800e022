package org.redislocked.example.harness;

import java.io.IOException;
import java.nio.file.Path;

/** A kind of server: how one node of it is laid out in a directory of its own, and how it is launched and stopped. */
sealed interface Server permits Liberty, WildFly, Payara {

    /** {@return the name in {@code -Dserver} and in the names of nodes} */
    String name();

    /** Writes what a node needs into its empty directory, and {@return how to launch it on these ports} */
    Launch layOut(Path directory, Ports ports, Cargo cargo) throws IOException;
}
