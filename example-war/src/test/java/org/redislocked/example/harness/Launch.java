package org.redislocked.example.harness;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * How to start a node of a server, and how to stop it.
 *
 * @param command starts the server and lives as long as it
 * @param stop asks the server to stop; empty if it is enough to end its processes
 * @param environment variables for both
 * @param log the server's own log
 * @param failure what the server writes when it could not deploy the shop, but lives on
 */
record Launch(List<String> command, List<String> stop, Map<String, String> environment, Path log, String failure) {}
