package org.redislocked.example.harness;

import org.redislocked.testing.TestRedis;

/** The run command: the shop on a fleet of servers, until Ctrl-C. */
public final class Demo {

    private Demo() {}

    /** Starts Redis and the servers that {@code -Dserver} asks for, and waits. */
    public static void main(String[] args) throws Exception {
        Fleet fleet = Fleet.named(Settings.server());
        System.out.println("Starting " + fleet + ", which takes up to a minute …");
        RunningNodes shop =
                RunningNodes.start(fleet, new Shop(TestRedis.shared().uri()));
        for (Node node : shop.nodes()) {
            System.out.println(node.name() + ": " + node.uri(Shop.CONTEXT));
        }
        System.out.println("Open one of them in a browser. Ctrl-C stops everything.");
        Thread.currentThread().join();
    }
}
