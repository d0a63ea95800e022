package org.redislocked.example.harness;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The nodes of a fleet with what they run; ends what it started, at the latest with this JVM. */
public final class RunningNodes implements AutoCloseable {

    private final List<Node> nodes = new ArrayList<>();
    private final Thread atExit = new Thread(this::stopAll, "stop-servers");

    private RunningNodes() {}

    /** Starts all nodes at the same time and waits until each of them answers. */
    public static RunningNodes start(Fleet fleet, Cargo cargo) throws IOException, InterruptedException {
        return start(fleet.servers(), cargo);
    }

    /** Starts one node of the fleet and waits until it answers. */
    public static RunningNodes startOne(Fleet fleet, Cargo cargo) throws IOException, InterruptedException {
        return start(fleet.servers().subList(0, 1), cargo);
    }

    private static RunningNodes start(List<Server> servers, Cargo cargo) throws IOException, InterruptedException {
        try {
            return startOnce(servers, cargo);
        } catch (Node.PortTakenException e) {
            System.out.println("A port was taken meanwhile: starting " + cargo.name() + " again on others");
            return startOnce(servers, cargo);
        }
    }

    private static RunningNodes startOnce(List<Server> servers, Cargo cargo) throws IOException, InterruptedException {
        var running = new RunningNodes();
        Runtime.getRuntime().addShutdownHook(running.atExit);
        try {
            for (Server server : servers) {
                running.nodes.add(new Node(server, running.nodes.size() + 1, cargo));
            }
            for (Node node : running.nodes) {
                node.start(cargo.environment(node, running.nodes()));
            }
            running.awaitReady();
            return running;
        } catch (IOException | InterruptedException | RuntimeException e) {
            running.close();
            throw e;
        }
    }

    /** Bounded: a node that does not answer in time throws. */
    private void awaitReady() throws InterruptedException {
        List<Node> starting = new ArrayList<>(nodes);
        while (!starting.isEmpty()) {
            Thread.sleep(100);
            for (Node node : List.copyOf(starting)) {
                if (node.isReady()) {
                    starting.remove(node);
                    System.out.printf(
                            "%s answers after %.1f s%n",
                            node.name(), node.coldStart().toMillis() / 1000.0);
                }
            }
        }
    }

    /** {@return the nodes, in the order of the fleet} */
    public List<Node> nodes() {
        return List.copyOf(nodes);
    }

    /** Stops all nodes. */
    @Override
    public void close() {
        stopAll();
        Runtime.getRuntime().removeShutdownHook(atExit);
    }

    private void stopAll() {
        nodes.parallelStream().forEach(Node::stop);
    }
}
