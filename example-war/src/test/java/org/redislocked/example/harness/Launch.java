package org.redislocked.example.harness;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * How to start a node of a server, how to stop it, and how to deploy to it meanwhile.
 *
 * @param command starts the server and lives as long as it
 * @param stop asks the server to stop; empty if it is enough to end its processes
 * @param environment variables for both
 * @param log the server's own log
 * @param failure what the server writes when it could not deploy an application, but lives on
 * @param deployer deploys while the server runs
 * @param administration begins a command line for the server's administration; empty if there is none
 */
record Launch(
        List<String> command,
        List<String> stop,
        Map<String, String> environment,
        Log log,
        String failure,
        Deployer deployer,
        List<String> administration) {

    Launch(
            List<String> command,
            List<String> stop,
            Map<String, String> environment,
            Path log,
            String failure,
            Deployer deployer,
            List<String> administration) {
        this(command, stop, environment, new Log(log), failure, deployer, administration);
    }
}
