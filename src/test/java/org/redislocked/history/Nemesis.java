package org.redislocked.history;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentSkipListMap;
import org.redislocked.testing.Fault;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.exceptions.JedisException;

/** Injects faults at random, one after the other. */
final class Nemesis {
    private final Round round;
    private final RoundPlan plan;
    private final Random random;
    private final List<FaultKind> choices;
    private final Map<FaultKind, Integer> faults = new ConcurrentSkipListMap<>();

    Nemesis(Round round, Random random) {
        this.round = round;
        this.plan = round.plan();
        this.random = random;
        this.choices = plan.faults().stream().sorted().toList();
    }

    /** {@return how often each has happened} */
    Map<FaultKind, Integer> faults() {
        return faults;
    }

    /** Injects faults until that time, and leaves nothing broken. */
    void run(long until) {
        while (until - System.nanoTime() > 0) {
            pause(Duration.ofMillis(random.nextLong(2 * plan.calm().toMillis()) + 1));
            if (!choices.isEmpty() && until - System.nanoTime() > 0) {
                var fault = choices.get(random.nextInt(choices.size()));
                inject(fault, until);
            }
        }
        round.alive().forEach(Member::leaveInPeace);
    }

    private void inject(FaultKind fault, long until) {
        switch (fault) {
            case CUT_BEFORE -> onTheWay(fault, Fault.CUT_BEFORE);
            case CUT_AFTER -> onTheWay(fault, Fault.CUT_AFTER);
            case EXECUTED_LATE -> onTheWay(fault, late(randomUpTo(plan.latest())));
            case REPLY_DELAYED -> onTheWay(fault, Fault.holdReply(randomUpTo(plan.slowest())));
            case SIGNAL_LOST -> onTheWay(fault, Fault.silentlyLate(plan.latest()));
            default -> {
                injectNow(fault, until);
                count(fault);
            }
        }
    }

    private void injectNow(FaultKind fault, long until) {
        switch (fault) {
            case REDIS_PAUSED -> pauseRedis(plan.shortPause());
            case REDIS_PAUSED_LONG -> pauseRedis(plan.longPause());
            case REDIS_EMPTIED -> round.redis().restart();
            case PROCESS_KILLED -> replaceProcess(until);
            case PROCESS_PAUSED -> pauseProcess(plan.shortPause());
            case PROCESS_PAUSED_LONG -> pauseProcess(plan.longPause());
            case SCRIPTS_FLUSHED -> command(Command.SCRIPT, "FLUSH");
            case CONNECTIONS_KILLED -> command(Command.CLIENT, "KILL", "TYPE", "normal");
            case SUBSCRIPTIONS_KILLED -> command(Command.CLIENT, "KILL", "TYPE", "pubsub");
            default -> throw new IllegalArgumentException(fault + " is not for now");
        }
    }

    private void pauseRedis(Duration time) {
        round.redis().suspend();
        pause(time);
        round.redis().resume();
    }

    private void pauseProcess(Duration time) {
        var member = any();
        member.suspend();
        pause(time);
        member.resume();
    }

    private void replaceProcess(long until) {
        any().kill();
        var next = round.join(Duration.ofNanos(Math.max(1, until - System.nanoTime())));
        next.awaitReady();
        next.begin();
    }

    private void command(Command command, String... arguments) {
        try (var redis = RedisClient.create(round.redis().uri())) {
            redis.executeCommand(new CommandArguments(command).addObjects(List.of(arguments)));
        } catch (JedisException e) {
            // it may have killed this connection, too
        }
    }

    private void onTheWay(FaultKind kind, Fault fault) {
        any().strike(kind, fault, () -> count(kind));
    }

    private void count(FaultKind fault) {
        faults.merge(fault, 1, Integer::sum);
    }

    private Fault late(Duration delay) {
        return random.nextBoolean() ? Fault.late(delay) : Fault.silentlyLate(delay);
    }

    private Duration randomUpTo(Duration bound) {
        return Duration.ofMillis(random.nextLong(bound.toMillis()));
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
