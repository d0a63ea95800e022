package org.redislocked.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.redislocked.LockHolder;
import org.redislocked.core.LockStore;

/** Keeps grants in Redis, where each operation is one script. */
final class RedisLockStore implements LockStore {

    /** How long Redis remembers the last token of a lock; after it, the server time is higher anyway. */
    private static final byte[] FENCE_TTL = bytes(TimeUnit.HOURS.toMillis(1));

    /** Leaves the hold count as it is. */
    static final byte[] NO_COUNT = bytes(0);

    private final Keys keys;
    private final ScriptedRedis redis;
    private final RenewalConnection renewals;
    private final SignalListener signals;
    private final EvictionPolicy evictionPolicy = new EvictionPolicy();

    RedisLockStore(ConnectionSettings settings, String clientName) {
        Refusals refusals = new Refusals(settings);
        Connections connections = new Connections(settings, refusals);
        keys = new Keys(settings.keyPrefix());
        redis = new ScriptedRedis(settings, connections, refusals);
        renewals = new RenewalConnection(connections, refusals);
        signals = new SignalListener(
                connections::open,
                settings.connectTimeout().plus(settings.commandTimeout()),
                SignalListener.QUIET,
                keys.idleChannel(),
                "redis-locked-signals-" + clientName);
    }

    @Override
    public Acquisition acquire(String lockName, String grantId, Duration lease, long usedToken, long notAfterMicros) {
        String key = keys.lock(lockName);
        List<?> reply = (List<?>) redis.run(
                Script.ACQUIRE,
                key,
                bytes(key),
                bytes(keys.fence(key)),
                bytes(grantId),
                bytes(lease.toMillis()),
                bytes(usedToken),
                FENCE_TTL,
                bytes(notAfterMicros));
        return switch (Math.toIntExact(number(reply, 0))) {
            case 1 -> new Granted(number(reply, 1), number(reply, 2));
            case 0 -> new Contended(number(reply, 1));
            default -> new Expired(number(reply, 1));
        };
    }

    @Override
    public boolean count(String lockName, String grantId, int holdCount, Duration lease) {
        String key = keys.lock(lockName);
        return isOne(
                redis.run(Script.COUNT, key, bytes(key), bytes(grantId), bytes(holdCount), bytes(lease.toMillis())));
    }

    @Override
    public boolean release(String lockName, String grantId) {
        String key = keys.lock(lockName);
        return isOne(redis.run(
                Script.RELEASE, key, bytes(key), bytes(grantId), bytes(keys.channel(key)), bytes(clientId(grantId))));
    }

    @Override
    public List<Renewal> renew(List<GrantKey> grants, Duration lease, Duration limit) {
        byte[] leaseMillis = bytes(lease.toMillis());
        List<byte[][]> arguments = grants.stream()
                .map(grant ->
                        new byte[][] {bytes(keys.lock(grant.lockName())), bytes(grant.grantId()), NO_COUNT, leaseMillis
                        })
                .toList();
        return renewals.run(arguments, limit);
    }

    @Override
    public Optional<LockHolder> holder(String lockName) {
        String key = keys.lock(lockName);
        List<?> reply = (List<?>) redis.run(Script.HOLDER, key, bytes(key), bytes(keys.fence(key)));
        if (reply.isEmpty()) {
            return Optional.empty();
        }
        long grantedMicros = number(reply, 3);
        long heldMicros = grantedMicros == 0 ? 0 : Math.max(0, number(reply, 4) - grantedMicros);
        return Optional.of(new LockHolder(
                new String((byte[]) reply.get(0), UTF_8),
                number(reply, 1),
                Duration.ofMillis(number(reply, 2)),
                Duration.ofNanos(TimeUnit.MICROSECONDS.toNanos(heldMicros))));
    }

    @Override
    public long timeMicros() {
        evictionPolicy.check(redis); // here, since it comes before the first attempt and then hardly ever
        List<?> reply = (List<?>) redis.time();
        return TimeUnit.SECONDS.toMicros(parsed(reply, 0)) + parsed(reply, 1);
    }

    @Override
    public Subscription subscribe(String lockName, Runnable wakeUp) {
        return signals.subscribe(keys.channel(keys.lock(lockName)), wakeUp);
    }

    @Override
    public void close() {
        try (redis;
                renewals) {
            signals.close();
        }
    }

    /** What comes before the thread id in a grant id. */
    private static String clientId(String grantId) {
        int colon = grantId.indexOf(':');
        return colon < 0 ? grantId : grantId.substring(0, colon);
    }

    private static boolean isOne(Object reply) {
        return (Long) reply == 1;
    }

    private static long number(List<?> reply, int index) {
        return (Long) reply.get(index);
    }

    private static long parsed(List<?> reply, int index) {
        return Long.parseLong(new String((byte[]) reply.get(index), UTF_8));
    }

    private static byte[] bytes(long number) {
        return bytes(String.valueOf(number));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }
}
