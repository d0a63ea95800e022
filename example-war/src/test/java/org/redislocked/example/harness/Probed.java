package org.redislocked.example.harness;

import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.redislocked.trial.probe.Notes;

/**
 * Nothing but a probe that sees what happens to applications that come and go.
 *
 * @param redis for the applications to come
 * @param archives the probe
 */
public record Probed(URI redis, List<Archive> archives) implements Cargo {

    private static final String CONTEXT = "probe";

    /** Builds the probe. */
    public static Probed by(URI redis) throws IOException {
        return new Probed(redis, List.of(Wars.write(Wars.empty(CONTEXT).addPackage(Notes.class.getPackage()))));
    }

    @Override
    public String name() {
        return CONTEXT;
    }

    @Override
    public Equipment equipment() {
        return Equipment.FULL;
    }

    @Override
    public String ready() {
        return CONTEXT + "/notes";
    }

    @Override
    public Map<String, String> environment(Node node, List<Node> all) {
        return Map.of("REDIS_LOCK_URI", redis.toString());
    }

    /** {@return a client of the probe on this node} */
    public static Client probe(Node node) {
        return node.client(CONTEXT);
    }
}
