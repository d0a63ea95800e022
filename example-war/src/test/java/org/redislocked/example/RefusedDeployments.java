package org.redislocked.example;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.IOException;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.redislocked.example.harness.Node;
import org.redislocked.example.harness.Wars;
import org.redislocked.refused.FaultTolerant;
import org.redislocked.refused.Published;
import org.redislocked.refused.Untold;

/** WARs that a node must refuse, and say why. */
final class RefusedDeployments {

    private RefusedDeployments() {}

    /** {@return a test for each} */
    static Stream<DynamicTest> on(Node node) {
        return Stream.of(
                refused(
                        node,
                        FaultTolerant.class,
                        "@RedisLocked together with @Asynchronous of MicroProfile Fault Tolerance is not possible"),
                refused(node, Published.class, "@RedisLocked on a method that returns Publisher is not possible"),
                refused(node, Untold.class, "@RedisLocked on a method that returns Future is not possible"));
    }

    private static DynamicTest refused(Node node, Class<?> bean, String why) {
        return dynamicTest(bean.getSimpleName() + " is refused by " + node.name(), () -> deploy(node, bean, why));
    }

    private static void deploy(Node node, Class<?> bean, String why) throws IOException {
        var archive =
                Wars.write(Wars.withLibrary("refused-" + bean.getSimpleName().toLowerCase(Locale.ROOT))
                        .addClass(bean));
        assertThrows(IllegalStateException.class, () -> node.deploy(archive));
        String message = bean.getName() + ".work(): " + why;
        assertTrue(node.log().contains(message), () -> "Not in the log of " + node.name() + ": " + message);
    }
}
