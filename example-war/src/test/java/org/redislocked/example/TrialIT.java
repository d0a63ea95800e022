package org.redislocked.example;

import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import jakarta.json.JsonObject;
import java.sql.SQLException;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.opentest4j.TestAbortedException;
import org.redislocked.example.harness.Client;
import org.redislocked.example.harness.Database;
import org.redislocked.example.harness.Fleet;
import org.redislocked.example.harness.RunningNodes;
import org.redislocked.example.harness.Trial;
import org.redislocked.testing.TestRedis;

/** Shows each case that runs inside the servers as a test; {@code -Dcases=…} picks those whose names contain it. */
@ParameterizedClass(name = "{0}", allowZeroInvocations = true)
@MethodSource("org.redislocked.example.harness.Fleet#wantedOfOneKind")
class TrialIT {

    private static Database database;
    private static RunningNodes running;

    @Parameter
    Fleet fleet;

    @BeforeParameterizedClassInvocation
    @Timeout(value = 6, unit = TimeUnit.MINUTES)
    static void startServers(Fleet fleet) throws Exception {
        database = Database.start();
        running = RunningNodes.start(fleet, Trial.of(TestRedis.shared().uri(), database));
    }

    @AfterParameterizedClassInvocation
    static void stopServers() throws Exception {
        if (running != null) {
            running.close();
            running = null;
        }
        database.close();
    }

    @TestFactory
    Stream<DynamicNode> cases() {
        Client client = Trial.cases(running.nodes().get(0));
        String wanted = System.getProperty("cases", "");
        return client.get("cases").getJsonArray("cases").getValuesAs(JsonObject.class).stream()
                .filter(test -> name(test).contains(wanted))
                .collect(Collectors.groupingBy(test -> test.getString("class"), TreeMap::new, Collectors.toList()))
                .entrySet()
                .stream()
                .map(group -> dynamicContainer(group.getKey(), tests(client, group.getValue())));
    }

    @TestFactory
    Stream<DynamicTest> refusedDeployments() {
        // the second one: what a refused application leaves behind is of no concern to the cases
        return RefusedDeployments.on(running.nodes().get(1));
    }

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void sharedDatabase_updatedInTransactionsUnderTheLock_losesNothing() throws SQLException {
        new LostUpdates(fleet, running, database).run();
    }

    private Stream<DynamicNode> tests(Client client, List<JsonObject> cases) {
        return cases.stream().map(test -> dynamicTest(name(test) + " on " + fleet, () -> run(client, name(test))));
    }

    private void run(Client client, String name) {
        JsonObject answer = client.post("cases/" + name.replace('.', '/'));
        String outcome = answer.getString("outcome");
        System.out.printf("%s · %s: %s%n", fleet, name, outcome);
        switch (outcome) {
            case "passed" -> {}
            case "not applicable" -> throw new TestAbortedException("n/a: " + answer.getString("text"));
            default -> fail(name + " failed inside " + fleet + ":\n" + answer.getString("text"));
        }
    }

    private static String name(JsonObject test) {
        return test.getString("class") + '.' + test.getString("method");
    }
}
