package org.redislocked.example.harness;

import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The shop on all nodes of a fleet that share one Redis; ends what it started, at the latest with this JVM. */
public final class RunningShop implements AutoCloseable {

    private final List<Node> nodes = new ArrayList<>();
    private final Thread atExit = new Thread(this::stopAll, "stop-servers");

    private RunningShop() {}

    /** Starts all nodes at the same time and waits until each of them answers. */
    public static RunningShop start(Fleet fleet, URI redis) throws IOException, InterruptedException {
        try {
            return startOnce(fleet, redis);
        } catch (Node.PortTakenException e) {
            System.out.println("A port was taken meanwhile: starting " + fleet + " again on others");
            return startOnce(fleet, redis);
        }
    }

    private static RunningShop startOnce(Fleet fleet, URI redis) throws IOException, InterruptedException {
        var shop = new RunningShop();
        Runtime.getRuntime().addShutdownHook(shop.atExit);
        try {
            for (Server server : fleet.servers()) {
                shop.nodes.add(new Node(server, shop.nodes.size() + 1));
            }
            Map<String, String> environment = Map.of(
                    "REDIS_LOCK_URI",
                    redis.toString(),
                    "SHOP_NODES",
                    shop.nodes.stream().map(node -> node.shop().toString()).collect(Collectors.joining(",")));
            for (Node node : shop.nodes) {
                node.start(environment);
            }
            shop.awaitReady();
            return shop;
        } catch (IOException | InterruptedException | RuntimeException e) {
            shop.close();
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
