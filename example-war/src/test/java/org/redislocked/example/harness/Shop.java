package org.redislocked.example.harness;

import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The example itself.
 *
 * @param redis which its nodes share
 */
public record Shop(URI redis) implements Cargo {

    /** The path under which every server offers the shop. */
    public static final String CONTEXT = "shop";

    @Override
    public String name() {
        return CONTEXT;
    }

    @Override
    public List<Archive> archives() {
        return List.of(new Archive(CONTEXT, Settings.existing("war")));
    }

    @Override
    public Equipment equipment() {
        return Equipment.LEAN;
    }

    @Override
    public String ready() {
        return CONTEXT + "/api/status";
    }

    @Override
    public Map<String, String> environment(Node node, List<Node> all) {
        return Map.of(
                "REDIS_LOCK_URI",
                redis.toString(),
                "SHOP_NODE",
                node.name(),
                "SHOP_NODES",
                all.stream().map(n -> n.uri(CONTEXT).toString()).collect(Collectors.joining(",")));
    }
}
