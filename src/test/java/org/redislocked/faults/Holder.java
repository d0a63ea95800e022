package org.redislocked.faults;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.redislocked.RedisLockLostException;
import org.redislocked.ReentrantRedisLock;
import org.redislocked.redis.RedisLockClient;

/** A JVM that holds a lock, and does what its standard input says: {@code held}, {@code unlock}. */
final class Holder {

    private Holder() {}

    public static void main(String[] arguments) throws Exception {
        var commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (RedisLockClient client = RedisLockClient.builder()
                .uri(arguments[0])
                .leaseTime(Duration.parse(arguments[2]))
                .clientName("holder")
                .onLost(loss -> System.out.println("told of " + loss.lockName()))
                .build()) {
            ReentrantRedisLock lock = client.get(arguments[1]);
            lock.lock();
            System.out.println(lock.fencingToken());
            String command;
            while ((command = commands.readLine()) != null) {
                System.out.println(command.equals("held") ? "held: " + lock.isHeldByCurrentThread() : unlock(lock));
            }
        }
    }

    private static String unlock(ReentrantRedisLock lock) {
        try {
            lock.unlock();
            return "unlocked";
        } catch (RedisLockLostException e) {
            return "lost";
        }
    }
}
