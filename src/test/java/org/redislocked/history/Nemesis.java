package org.redislocked.history;

import java.net.URI;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.exceptions.JedisException;

/** Injects faults at random, one after the other. */
final class Nemesis {
    private final Round round;
    private final RoundPlan plan;
    private final Random random;
    private final List<Fault> choices;
    private final Map<Fault, Integer> faults = new EnumMap<>(Fault.class);

    Nemesis(Round round, Random random) {
        this.round = round;
        this.plan = round.plan();
        this.random = random;
        this.choices = plan.faults().stream().sorted().toList();
    }

    Map<Fault, Integer> faults() {
        return faults;
    }

    /** Injects faults until that time, and leaves nothing broken. */
    void run(long until) {
        while (until - System.nanoTime() > 0) {
            pause(Duration.ofMillis(random.nextLong(2 * plan.calm().toMillis()) + 1));
            if (!choices.isEmpty() && until - System.nanoTime() > 0) {
                var fault = choices.get(random.nextInt(choices.size()));
                if (inject(fault, until)) {
                    faults.merge(fault, 1, Integer::sum);
                }
            }
        }
        round.alive().forEach(member -> member.proxy().heal());
    }

    /** {@return whether it could be done} */
    private boolean inject(Fault fault, long until) {
        return switch (fault) {
            case REDIS_PAUSED -> pauseRedis(plan.shortPause());
            case REDIS_PAUSED_LONG -> pauseRedis(plan.longPause());
            case REDIS_EMPTIED -> {
                round.redis().restart();
                yield true;
            }
            case PROCESS_KILLED -> replaceProcess(until);
            case PROCESS_PAUSED -> pauseProcess(plan.shortPause());
            case PROCESS_PAUSED_LONG -> pauseProcess(plan.longPause());
            case SCRIPTS_FLUSHED -> command("SCRIPT", "FLUSH");
            case CONNECTIONS_KILLED -> command("CLIENT", "KILL", "TYPE", "normal");
            case SUBSCRIPTIONS_KILLED -> command("CLIENT", "KILL", "TYPE", "pubsub");
            case CUT_BEFORE, CUT_AFTER, EXECUTED_LATE, REPLY_DELAYED, SIGNAL_LOST -> false;
        };
    }

    private boolean pauseRedis(Duration time) {
        round.redis().suspend();
        pause(time);
        round.redis().resume();
        return true;
    }

    private boolean pauseProcess(Duration time) {
        var member = any();
        member.suspend();
        pause(time);
        member.resume();
        return true;
    }

    /** Kills one, if there is time left for another. */
    private boolean replaceProcess(long until) {
        any().kill();
        var rest = Duration.ofNanos(Math.max(1, until - System.nanoTime()));
        var next = round.join(rest);
        next.awaitReady();
        next.begin();
        return true;
    }

    private boolean command(String... words) {
        try (var redis = RedisClient.create(round.redis().uri())) {
            redis.sendCommand(() -> words[0].getBytes(java.nio.charset.StandardCharsets.UTF_8), java.util.Arrays.copyOfRange(words, 1, words.length));
            return true;
        } catch (JedisException e) {
            return true; // it may have killed this connection, too
        }
    }

    private Member any() {
        var alive = round.alive();
        return alive.get(random.nextInt(alive.size()));
    }

    private static void pause(Duration time) {
        try {
            Thread.sleep(time.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted", e);
        }
    }
}
