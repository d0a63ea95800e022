package org.redislocked.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Alternative;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Test;
import org.redislocked.Hold;
import org.redislocked.LockName;
import org.redislocked.RedisLocked;
import org.redislocked.RedisLocks;
import org.redislocked.ReentrantRedisLock;

class InjectionTest {
    @ApplicationScoped
    static class Shop {
        @Inject
        @LockName("report")
        ReentrantRedisLock lock;

        @Inject
        @LockName("${report.name:monthly}-report")
        ReentrantRedisLock configured;

        @Inject
        Instance<ReentrantRedisLock> any;

        @Inject
        @Any
        Instance<ReentrantRedisLock> nameless;

        ReentrantRedisLock lock() {
            return lock;
        }

        String configuredName() {
            return configured.name();
        }

        String selectedName(String name) {
            return any.select(LockName.Literal.of(name)).get().name();
        }

        ReentrantRedisLock selectNothing() {
            return nameless.get();
        }

        @RedisLocked("report")
        int holdCount() {
            return lock.getHoldCount();
        }

        @RedisLocked(leaseTime = 7, accessTimeout = 3, value = "explicit")
        String explicit() {
            return "ran";
        }
    }

    /** Notes which locks are taken how, and takes none. */
    @Alternative
    @Priority(1)
    @ApplicationScoped
    static class Noted implements RedisLocks {
        private final List<String> calls = new ArrayList<>();

        List<String> calls() {
            return calls;
        }

        @Override
        public ReentrantRedisLock get(String name) {
            return (ReentrantRedisLock) Proxy.newProxyInstance(
                    getClass().getClassLoader(),
                    new Class<?>[] {ReentrantRedisLock.class},
                    (proxy, method, arguments) -> {
                        if (method.getName().equals("joiningTransaction")) {
                            return proxy;
                        }
                        calls.add(name + " " + method.getName() + (arguments == null ? "" : List.of(arguments)));
                        return method.getReturnType() == boolean.class ? true : null;
                    });
        }

        @Override
        public Optional<Hold> current() {
            return Optional.empty();
        }
    }

    @Test
    void lock_injected_isTheOneThatTheInterceptorTakes() {
        try (var application = TestApplication.deploy(Shop.class)) {
            Shop shop = application.get(Shop.class);

            assertThat(shop.lock().name()).isEqualTo("report");
            assertThat(shop.holdCount()).isEqualTo(1);
            assertThat(shop.lock()).isEqualTo(application.get(RedisLocks.class).get("report"));
        }
    }

    @Test
    void name_withExpression_comesFromTheConfiguration() {
        Map<String, String> config = TestApplication.config();
        config.put("report.name", "nightly");
        try (var application = TestApplication.deploy(config, Shop.class)) {
            Shop shop = application.get(Shop.class);

            assertThat(shop.configuredName()).isEqualTo("nightly-report");
            assertThat(shop.selectedName("${report.name}")).isEqualTo("nightly");
        }
    }

    @Test
    void instance_withoutName_asksForOne() {
        try (var application = TestApplication.deploy(Shop.class)) {
            Shop shop = application.get(Shop.class);

            assertThatThrownBy(shop::selectNothing).hasStackTraceContaining("use select(LockName.Literal.of(\"…\"))");
        }
    }

    @Test
    void redisLocks_replacedByAnAlternative_isUsedEverywhere() {
        try (var log = new RecordedLog();
                var application = TestApplication.deploy(Shop.class, Noted.class)) {
            Shop shop = application.get(Shop.class);

            shop.explicit();
            shop.lock().lock();

            assertThat(application.get(Noted.class).calls())
                    .containsExactly(
                            "explicit tryLock[3000000000, 7000000000, NANOSECONDS]", "explicit unlock", "report lock");
            assertThat(log.lines())
                    .containsExactly("INFO redis-locked (unreleased): locks by " + Noted.class.getName()
                            + "; locked methods: 2, injected locks: 4");
        }
    }

    @Test
    void lock_asABean_isNoLockOfTheJdk() {
        try (var application = TestApplication.deploy(Shop.class)) {
            assertThat(application.container().select(Lock.class).isUnsatisfied())
                    .isTrue();
        }
    }
}
