package org.redislocked.faults;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.redislocked.RedisLockLostException;
import org.redislocked.ReentrantRedisLock;
import org.redislocked.redis.RedisLockClient;

/** A JVM that holds a lock and does what it is told, one line for each order. */
final class HolderJvm {

    /** Writes, unless somebody with a greater token has written before: what a resource does that checks tokens. */
    private static final String FENCED_WRITE = """
            if tonumber(ARGV[1]) < tonumber(redis.call('GET', KEYS[1]) or '0') then return 0 end
            redis.call('SET', KEYS[1], ARGV[1])
            return 1""";

    private HolderJvm() {}

    /** {@return whether the resource has taken the write} */
    static boolean fencedWrite(URI redis, String resource, long token) {
        return Scene.call(redis, "EVAL", FENCED_WRITE, "1", resource, String.valueOf(token))
                .equals(1L);
    }

    public static void main(String[] arguments) throws Exception {
        URI redis = URI.create(arguments[0]);
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (RedisLockClient client = RedisLockClient.builder()
                .uri(redis.toString())
                .keyPrefix(arguments[1])
                .leaseTime(Duration.ofMillis(Long.parseLong(arguments[2])))
                .build()) {
            ReentrantRedisLock lock = client.get("order");
            lock.lock();
            long token = lock.fencingToken();
            System.out.println(token);
            for (String order = orders.readLine(); order != null; order = orders.readLine()) {
                switch (order) {
                    case "write" -> System.out.println(fencedWrite(redis, arguments[3], token));
                    case "held" -> System.out.println(lock.isHeldByCurrentThread());
                    default -> System.out.println(unlock(lock));
                }
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
