package org.redislocked.example.harness;

import java.io.IOException;

/** How a server that runs takes up another application, and gives one up. */
interface Deployer {

    /** {@return whether it succeeded}; returns when the server is done with it */
    boolean deploy(Archive archive) throws IOException, InterruptedException;

    /** {@return whether it succeeded}; returns when the server is done with it */
    boolean undeploy(Archive archive) throws IOException, InterruptedException;
}
