package org.redislocked.testing;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.redislocked.testing.FaultProxy.Command;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.JedisPubSub;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;

@Timeout(30)
class FaultProxyTest {

    private static final Duration LONG = Duration.ofSeconds(20);

    private final TestRedis redis = TestRedis.start();
    private final FaultProxy proxy = FaultProxy.to(redis);
    private final Jedis direct = jedis(redis.uri(), 10_000);
    private final Jedis client = jedis(proxy.uri(), 10_000);

    @AfterEach
    void stop() {
        client.close();
        direct.close();
        proxy.close();
        redis.close();
    }

    @Test
    void noFault_everyKindOfReply_comesThrough() {
        client.set("key", "two\r\nlines, ü");
        assertThat(client.get("key")).isEqualTo("two\r\nlines, ü");
        assertThat(client.get("none")).isNull();
        assertThat(client.incr("number")).isEqualTo(1);
        assertThat(client.eval("return {1, {'a', {}, false}, 'b'}"))
                .isEqualTo(List.of(1L, Arrays.asList("a", List.of(), null), "b"));
        assertThatExceptionOfType(JedisDataException.class)
                .isThrownBy(() -> client.incr("key"))
                .withMessageContaining("not an integer");
        assertThat(client.get("key")).startsWith("two");
    }

    @Test
    void cutBefore_isNotExecuted() {
        proxy.next("SET", Fault.CUT_BEFORE);
        assertGone(() -> client.set("key", "value"));
        assertThat(direct.get("key")).isNull();
    }

    @Test
    void cutAfter_isExecutedAndNotTold() {
        proxy.next("SET", Fault.CUT_AFTER);
        assertGone(() -> client.set("key", "value"));
        assertThat(direct.get("key")).isEqualTo("value");
        assertThat(proxy.executed("SET")).isEqualTo(1);
    }

    @Test
    void late_isExecutedWhenTheGateOpens() {
        CompletableFuture<Void> gate = new CompletableFuture<>();
        CompletableFuture<Command> late = proxy.next("SET", Fault.late(gate));
        assertGone(() -> client.set("key", "value"));
        assertThat(direct.get("key")).isNull();
        assertThat(proxy.connections()).isZero();
        gate.complete(null);
        assertThat(late.join().reply().join()).isEqualTo("OK");
        assertThat(direct.get("key")).isEqualTo("value");
    }

    @Test
    void silentlyLate_clientHearsNothing() {
        CompletableFuture<Void> gate = new CompletableFuture<>();
        CompletableFuture<Command> late = proxy.next("SET", Fault.silentlyLate(gate));
        try (Jedis impatient = jedis(proxy.uri(), 200)) {
            assertThatExceptionOfType(JedisConnectionException.class)
                    .isThrownBy(() -> impatient.set("key", "value"))
                    .withMessageContaining("timed out");
        }
        assertThat(direct.get("key")).isNull();
        gate.complete(null);
        assertThat(late.join().reply().join()).isEqualTo("OK");
        await(() -> proxy.connections() == 1); // that of the other client
    }

    @Test
    void holdReply_isExecutedAtOnceAndToldLater() throws Exception {
        CompletableFuture<Void> gate = new CompletableFuture<>();
        CompletableFuture<Command> held = proxy.next("SET", Fault.holdReply(gate));
        CompletableFuture<String> told = CompletableFuture.supplyAsync(() -> client.set("key", "value"));
        held.get(10, SECONDS).reply().get(10, SECONDS);
        assertThat(direct.get("key")).isEqualTo("value");
        assertThat(told).isNotDone();
        gate.complete(null);
        assertThat(told.get(10, SECONDS)).isEqualTo("OK");
    }

    @Test
    void error_isToldInsteadOfExecution() {
        proxy.next("SET", Fault.error("READONLY You can't write"));
        assertThatExceptionOfType(JedisDataException.class)
                .isThrownBy(() -> client.set("key", "value"))
                .withMessage("READONLY You can't write");
        assertThat(client.get("key")).isNull();
    }

    @Test
    void answer_isToldInsteadOfExecution() {
        proxy.next("TIME", Fault.answer("*2\r\n$1\r\n5\r\n$1\r\n7\r\n"));
        assertThat(client.time()).containsExactly("5", "7");
        assertThat(client.time()).doesNotContain("5");
    }

    @Test
    void silentlyLate_gateOpensBeforeTheClientLeaves_staysSilent() {
        CompletableFuture<Command> late =
                proxy.next("SET", Fault.silentlyLate(CompletableFuture.completedFuture(null)));
        try (Jedis impatient = jedis(proxy.uri(), 300)) {
            assertGone(() -> impatient.set("key", "value"));
        }
        assertThat(late.join().reply().join()).isEqualTo("OK");
    }

    @Test
    void policy_isAskedForEachCommand() {
        proxy.policy(command -> command.arguments().contains("bad") ? Fault.error("ERR bad") : Fault.PASS);
        client.set("good", "1");
        assertThatExceptionOfType(JedisDataException.class).isThrownBy(() -> client.set("bad", "1"));
        proxy.policy(command -> Fault.PASS);
        client.set("bad", "1");
        assertThat(proxy.seen("SET")).hasSize(3);
        assertThat(proxy.executed("SET")).isEqualTo(2);
    }

    @Test
    void pipeline_faultInTheMiddle_leavesWhatCameBefore() throws IOException {
        proxy.next(command -> command.arguments().contains("second"), Fault.error("ERR no"));
        proxy.next(command -> command.arguments().contains("third"), Fault.CUT_AFTER);
        try (Socket socket = new Socket(proxy.uri().getHost(), proxy.uri().getPort())) {
            String all = Stream.of("first", "second", "third", "fourth")
                    .map(key -> "*3\r\n$3\r\nSET\r\n$" + key.length() + "\r\n" + key + "\r\n$1\r\n1\r\n")
                    .collect(Collectors.joining());
            socket.getOutputStream().write(all.getBytes(StandardCharsets.UTF_8));
            assertThat(socket.getInputStream().readAllBytes()).asString().isEqualTo("+OK\r\n-ERR no\r\n");
        }
        assertThat(direct.keys("*")).containsExactlyInAnyOrder("first", "third");
    }

    @Test
    void script_isKnownByShaAndByText() throws IOException {
        String acquire = script("acquire");
        List<String> keys = List.of("lock", "fence");
        List<String> arguments = List.of("me", "1000", "0", "1000", "0");
        proxy.next("acquire", Fault.PASS);
        client.evalsha(client.scriptLoad(acquire), keys, arguments);
        client.eval(acquire, keys, arguments);
        client.eval(script("count"), List.of("lock"), List.of("me", "0", "1000"));
        client.eval(script("count"), List.of("lock"), List.of("me", "2", "1000"));
        client.eval("return 1");
        assertThat(proxy.seen("acquire"))
                .hasSize(2)
                .allMatch(command ->
                        command.scriptArguments().equals(List.of("lock", "fence", "me", "1000", "0", "1000", "0")));
        assertThat(proxy.seen("count")).map(Command::isRenewal).containsExactly(true, false);
        assertThat(proxy.seen("EVAL")).map(Command::script).containsExactly("acquire", "count", "count", "");
    }

    @Test
    void newProxy_redisKnowsTheScripts() throws IOException {
        String sha = direct.scriptLoad(script("holder"));
        direct.scriptFlush();
        assertThat(direct.scriptExists(sha)).isFalse();
        FaultProxy.to(redis).close();
        assertThat(direct.scriptExists(sha)).isTrue();
    }

    @Test
    void messages_comeUnaskedBetweenReplies() throws Exception {
        LinkedBlockingQueue<String> heard = new LinkedBlockingQueue<>();
        JedisPubSub listener = new JedisPubSub() {
            @Override
            public void onMessage(String channel, String message) {
                heard.add(message);
            }

            @Override
            public void onSubscribe(String channel, int count) {
                heard.add("subscribed " + channel);
            }
        };
        CompletableFuture<Void> listening = CompletableFuture.runAsync(() -> client.subscribe(listener, "one", "two"));
        assertThat(heard.poll(10, SECONDS)).isEqualTo("subscribed one");
        assertThat(heard.poll(10, SECONDS)).isEqualTo("subscribed two");
        direct.publish("two", "first");
        assertThat(heard.poll(10, SECONDS)).isEqualTo("first");
        listener.subscribe("three");
        assertThat(heard.poll(10, SECONDS)).isEqualTo("subscribed three");
        direct.publish("three", "second");
        assertThat(heard.poll(10, SECONDS)).isEqualTo("second");
        listener.unsubscribe("one", "two", "three");
        listening.get(10, SECONDS);
        assertThat(client.ping()).isEqualTo("PONG");
    }

    @Test
    void cutAll_closesConnectionsAndTakesNewOnes() {
        client.ping();
        assertThat(proxy.connections()).isEqualTo(1);
        proxy.cutAll();
        assertGone(client::ping);
        assertThat(proxy.connections()).isZero();
        try (Jedis again = jedis(proxy.uri(), 10_000)) {
            assertThat(again.ping()).isEqualTo("PONG");
        }
    }

    @Test
    void redisGone_clientIsCutToo() {
        client.ping();
        redis.kill();
        assertGone(client::ping);
    }

    @Test
    void close_heldAndLateCommands_leaveNoThread() {
        proxy.next("SET", Fault.late(LONG));
        assertGone(() -> client.set("key", "value"));
        try (Jedis impatient = jedis(proxy.uri(), 200)) {
            proxy.next("GET", Fault.holdReply(LONG));
            assertGone(() -> impatient.get("key"));
        }
        proxy.close();
        await(() -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().startsWith("fault-proxy")));
        assertThat(direct.get("key")).isNull();
    }

    private static String script(String name) throws IOException {
        try (InputStream in = FaultProxyTest.class.getResourceAsStream("/org/redislocked/redis/" + name + ".lua")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static Jedis jedis(URI uri, int timeoutMillis) {
        JedisClientConfig config = DefaultJedisClientConfig.builder()
                .autoNegotiateProtocol(false)
                .timeoutMillis(timeoutMillis)
                .build();
        return new Jedis(uri, config);
    }

    private static void assertGone(Runnable call) {
        assertThatExceptionOfType(JedisConnectionException.class).isThrownBy(call::run);
    }

    private static void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            LockSupport.parkNanos(1_000_000); // the test's time-out ends it
        }
    }
}
