package org.redislocked.example.harness;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A block of ports that were free a moment ago and that this JVM gives to one node only.
 *
 * <p>They lie below those that systems hand out for outgoing connections. Another program may still be quicker;
 * {@link Node} then tries another block.
 *
 * @param base the first of {@value #SIZE} ports; the node is reached under it
 */
record Ports(int base) {

    private static final int SIZE = 10;
    private static final int LOWEST = 20_000;
    private static final int BLOCKS = 1_200;
    private static final int TRIES = 100;

    private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();

    /** {@return a block that nobody uses} */
    static Ports free() {
        for (int i = 0; i < TRIES; i++) {
            int base = LOWEST + SIZE * ThreadLocalRandom.current().nextInt(BLOCKS);
            if (GIVEN.add(base) && allFree(base)) {
                return new Ports(base);
            }
        }
        throw new IllegalStateException("No " + SIZE + " free ports in a row between " + LOWEST + " and "
                + (LOWEST + SIZE * BLOCKS) + ": stop what uses them");
    }

    int http() {
        return base;
    }

    int get(int index) {
        if (index <= 0 || index >= SIZE) {
            throw new IllegalArgumentException("port " + index + " of " + SIZE);
        }
        return base + index;
    }

    private static boolean allFree(int base) {
        for (int port = base; port < base + SIZE; port++) {
            try (var socket = new ServerSocket()) {
                socket.setReuseAddress(true);
                socket.bind(new InetSocketAddress(port));
            } catch (IOException e) {
                return false;
            }
        }
        return true;
    }
}
