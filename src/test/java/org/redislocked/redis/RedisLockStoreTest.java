package org.redislocked.redis;

import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.redislocked.core.LockStore;
import org.redislocked.core.LockStoreContract;
import org.redislocked.testing.RedisBinary;
import org.redislocked.testing.TestRedis;

@ParameterizedClass
@MethodSource("org.redislocked.testing.RedisBinary#available")
class RedisLockStoreTest extends LockStoreContract {

    private final Keys keys = new Keys(RedisStores.PREFIX);
    private final TestRedis redis;

    RedisLockStoreTest(RedisBinary binary) {
        redis = RedisStores.server(binary);
    }

    @Override
    protected LockStore open() {
        return RedisStores.open(redis);
    }

    /** To a script, a key whose time has come is a key that is not there. */
    @Override
    protected void endLease(String lockName) {
        RedisStores.call(redis, "DEL", keys.lock(lockName));
    }

    @Override
    protected void loseTokens(String lockName) {
        RedisStores.call(redis, "DEL", keys.fence(keys.lock(lockName)));
    }
}
