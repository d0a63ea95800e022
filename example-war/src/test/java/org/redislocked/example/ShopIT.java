package org.redislocked.example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import jakarta.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.redislocked.example.harness.Browser;
import org.redislocked.example.harness.Fleet;
import org.redislocked.example.harness.Node;
import org.redislocked.example.harness.RunningNodes;
import org.redislocked.example.harness.Shop;
import org.redislocked.testing.TestRedis;
import redis.clients.jedis.RedisClient;

/** The lock on real servers, seen from outside: over HTTP, in Redis and in a browser. */
@ParameterizedClass(name = "{0}")
@MethodSource("org.redislocked.example.harness.Fleet#wanted")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class ShopIT {

    private static final int PIECES = 40;
    private static final int CUSTOMERS = 120;

    /** As in the shop's {@code microprofile-config.properties}. */
    private static final Duration LEASE = Duration.ofSeconds(5);

    private static final String STOCKTAKE = "redis-lock:stocktake";

    private static final String LOSSES = "shop:lost-locks";

    private static RedisClient redis;
    private static RunningNodes shop;
    private static List<Node> nodes;

    @Parameter
    Fleet fleet;

    @BeforeParameterizedClassInvocation
    @Timeout(value = 6, unit = TimeUnit.MINUTES)
    static void startServers(Fleet fleet) throws Exception {
        redis = RedisClient.create(TestRedis.shared().uri());
        redis.del("shop:report-runs", LOSSES, STOCKTAKE);
        shop = RunningNodes.start(fleet, new Shop(TestRedis.shared().uri()));
        nodes = shop.nodes();
    }

    @AfterParameterizedClassInvocation
    static void stopServers() {
        if (shop != null) {
            shop.close();
            shop = null;
        }
        redis.close();
    }

    @Test
    @Order(1)
    void sell_withTheLock_neverOversells() {
        int sold = sellToAll("sell/web", "sell/phone");
        JsonObject status = nodes.get(0).client(Shop.CONTEXT).get("api/status");
        print("with the lock: %d pieces, %d customers, %d sold, %d oversold", PIECES, CUSTOMERS, sold, oversold());
        assertEquals(PIECES, sold);
        assertEquals(0, status.getInt("stock"));
        assertEquals(0, oversold());
    }

    /** The other tests prove something only if this one finds what they guard against. */
    @Test
    @Order(2)
    void sell_withoutTheLock_oversells() {
        int sold = sellToAll("sell/unlocked");
        print("without the lock: %d pieces, %d customers, %d sold, %d oversold", PIECES, CUSTOMERS, sold, oversold());
        assertTrue(oversold() > 0);
    }

    @Test
    @Order(3)
    void lock_enteredTwice_countsTwoInRedis() {
        Node holder = nodes.get(0);
        Node other = nodes.get(1);
        var stocktake = holder.client(Shop.CONTEXT).postAsync("api/stocktake?depth=2&millis=1500");

        await("count 2 in Redis", () -> holdCounts().equals(List.of("2")));
        JsonObject seen = other.client(Shop.CONTEXT)
                .get("api/status")
                .getJsonObject("locks")
                .getJsonObject("stocktake");
        assertEquals(holder.name(), seen.getString("by"));
        assertEquals(2, seen.getInt("holdCount"));

        await("count 1 in Redis", () -> holdCounts().equals(List.of("1")));
        await("no key in Redis", () -> !redis.exists(STOCKTAKE));
        assertEquals(2, stocktake.join().getInt("holdCount"));
        print("nested: Redis counted 2, then 1, then nothing");
    }

    @Test
    @Order(4)
    void page_clicked_movesTheFigures() throws Exception {
        assumeTrue(Browser.isInstalled(), "No page test: chromium and chromedriver are not on the PATH");
        try (var browser = Browser.open(nodes.get(0).uri(Shop.CONTEXT))) {
            browser.click("reset");
            await("a new day", () -> browser.text("stock").equals("20"));
            browser.click("sell-locked");
            await("all sold", () -> browser.text("message").startsWith("20 of 60"));
            assertEquals("0", browser.text("stock"));
            assertEquals("20", browser.text("sold"));
            assertEquals("0", browser.text("oversold"));
            assertEquals(nodes.size(), browser.count("#nodes td.up"));

            browser.click("reset");
            await("a new day", () -> browser.text("stock").equals("20"));
            browser.click("sell-unlocked");
            await("oversold", () -> browser.text("message").contains("will get none"));
            assertTrue(Integer.parseInt(browser.text("oversold")) > 0);

            browser.click("stocktake");
            await("count 2", () -> browser.text("locks").contains("count 2"));
            browser.screenshot(fleet + ".png");
            await("the end of the stocktake", () -> browser.text("message").contains("2 times"));
            print("page: %s", browser.text("message"));
        }
    }

    @Test
    @Order(5)
    void report_onAllNodes_neverOverlaps() {
        await("ten runs of the report", () -> runs().size() >= 10);
        await("runs of several nodes, or many of one", () -> runsByNode().size() > 1 || runs().size() >= 15);
        List<JsonObject> runs = runs();
        for (int i = 1; i < runs.size(); i++) {
            assertTrue(end(runs.get(i - 1)) <= begin(runs.get(i)), "two at the same time: " + runs);
        }
        print("timer: %d runs without overlap, by %s", runs.size(), runsByNode());
    }

    @Test
    @Order(6)
    void lock_removedWhileHeld_isToldToTheApplicationAndToTheOwner() {
        Node owner = nodes.get(0);
        var stocktake = owner.client(Shop.CONTEXT).postAsync("api/stocktake?depth=1&millis=4000");
        await("the lock held by " + owner.name(), () -> redis.exists(STOCKTAKE));
        redis.del(STOCKTAKE);
        String loss = "stocktake on " + owner.name();
        await("the event LockLost", () -> redis.lrange(LOSSES, 0, -1).equals(List.of(loss)));
        assertTrue(!stocktake.isDone(), "told while the owner still works");
        CompletionException refusal = assertThrows(CompletionException.class, stocktake::join);
        print("lost: the event came while the owner worked, who then got %s", status(refusal));
    }

    @Test
    @Order(7)
    void node_killedWhileItHolds_freesTheLockAfterTheLease() throws Exception {
        // The one that the timer prefers: so the others must show that they run it, too.
        String busiest = runsByNode().entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .orElseThrow()
                .getKey();
        Node victim =
                nodes.stream().filter(n -> n.name().equals(busiest)).findAny().orElseThrow();
        Node survivor = nodes.stream().filter(n -> n != victim).findAny().orElseThrow();

        victim.client(Shop.CONTEXT).postAsync("api/stocktake?depth=1&millis=60000");
        await("the lock held by " + victim.name(), () -> redis.exists(STOCKTAKE));
        Object grant = redis.hkeys(STOCKTAKE);
        Thread.sleep(LEASE.plusSeconds(1).toMillis());
        assertEquals(grant, redis.hkeys(STOCKTAKE), "renewed beyond its lease by the living node");

        victim.kill();
        long killed = System.nanoTime();
        long leftMillis = redis.pttl(STOCKTAKE);
        JsonObject taken = survivor.client(Shop.CONTEXT).post("api/stocktake?depth=1&millis=0");
        long waitedMillis = (System.nanoTime() - killed) / 1_000_000;
        print(
                "SIGKILL: %s died with %d ms of lease left, %s had the lock after %d ms",
                victim.name(), leftMillis, survivor.name(), waitedMillis);
        assertEquals(survivor.name(), taken.getString("node"));
        assertTrue(leftMillis > 0, "still locked when its holder was dead");
        assertTrue(waitedMillis >= leftMillis - 10, "not before the lease ended");
        assertTrue(waitedMillis <= leftMillis + 2_000, "soon after the lease ended");

        List<JsonObject> before = runs();
        long last = begin(before.get(before.size() - 1));
        await(
                "the timer on another node",
                () -> runs().stream()
                        .anyMatch(run ->
                                begin(run) > last && !run.getString("node").equals(victim.name())));
        print("timer: ran on %s; after the kill of %s on the rest", runsByNode(), victim.name());
    }

    /** {@return how many customers were told that they have a piece} */
    private static int sellToAll(String... ways) {
        nodes.get(0).client(Shop.CONTEXT).post("api/reset?stock=" + PIECES);
        List<CompletableFuture<JsonObject>> sales = new ArrayList<>();
        for (int i = 0; i < CUSTOMERS; i++) {
            Node node = nodes.get(i % nodes.size());
            sales.add(node.client(Shop.CONTEXT).postAsync("api/" + ways[i / nodes.size() % ways.length]));
        }
        return (int) sales.stream()
                .map(CompletableFuture::join)
                .filter(sale -> sale.getBoolean("sold"))
                .count();
    }

    private static String status(CompletionException refusal) {
        return refusal.getCause().getMessage().replaceAll("(?s).* answered (\\d+).*", "$1");
    }

    private static int oversold() {
        return nodes.get(0).client(Shop.CONTEXT).get("api/status").getInt("oversold");
    }

    private static List<String> holdCounts() {
        return List.copyOf(redis.hvals(STOCKTAKE));
    }

    /** By begin: a run is noted at its end. */
    private static List<JsonObject> runs() {
        Node alive = nodes.stream().filter(Node::isAlive).findAny().orElseThrow();
        return alive.client(Shop.CONTEXT).get("api/report").getJsonArray("runs").getValuesAs(JsonObject.class).stream()
                .sorted(Comparator.comparing(ShopIT::begin))
                .toList();
    }

    private static Map<String, Long> runsByNode() {
        return runs().stream().collect(Collectors.groupingBy(run -> run.getString("node"), Collectors.counting()));
    }

    private static long begin(JsonObject run) {
        return run.getJsonNumber("begin").longValue();
    }

    private static long end(JsonObject run) {
        return run.getJsonNumber("end").longValue();
    }

    private static void await(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < deadline, "Waited 60 s for " + what);
            try {
                Thread.sleep(50);
            } catch (InterruptedException e) {
                throw new IllegalStateException("Interrupted while waiting for " + what, e);
            }
        }
    }

    private void print(String format, Object... values) {
        System.out.println(fleet + " · " + format.formatted(values));
    }
}
