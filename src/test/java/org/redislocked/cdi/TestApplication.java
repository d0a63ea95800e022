package org.redislocked.cdi;

import static org.assertj.core.api.Assertions.catchThrowable;

import java.lang.annotation.Annotation;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.eclipse.microprofile.config.ConfigProvider;
import org.eclipse.microprofile.config.spi.ConfigProviderResolver;
import org.jboss.weld.environment.se.Weld;
import org.jboss.weld.environment.se.WeldContainer;
import org.redislocked.redis.RedisLockClient;
import org.redislocked.testing.TestRedis;

/** An application in Weld SE, deployed with a configuration of its own. */
final class TestApplication implements AutoCloseable {
    private final Map<String, String> config;
    private final WeldContainer container;

    private TestApplication(Map<String, String> config, WeldContainer container) {
        this.config = config;
        this.container = container;
    }

    /** What a test adds to before it deploys: the shared Redis, and a key prefix that nobody else has. */
    static Map<String, String> config() {
        Map<String, String> config = new LinkedHashMap<>();
        config.put("redis-lock.uri", TestRedis.shared().uri().toString());
        config.put("redis-lock.key-prefix", "cdi-" + UUID.randomUUID() + ":");
        return config;
    }

    static TestApplication deploy(Class<?>... beans) {
        return deploy(config(), beans);
    }

    static TestApplication deploy(Map<String, String> config, Class<?>... beans) {
        return deploy(config, new Weld().addBeanClasses(beans));
    }

    static TestApplication deploy(Map<String, String> config, Weld weld) {
        return deploy(config, new RedisLockExtension(), weld);
    }

    static TestApplication deploy(Map<String, String> config, RedisLockExtension extension, Weld weld) {
        config.forEach(System::setProperty);
        forgetConfig();
        try {
            Weld complete = weld.disableDiscovery()
                    .addExtension(extension)
                    .addBeanClass(TestApplication.class); // Weld wants at least one
            return new TestApplication(config, complete.initialize());
        } catch (Throwable e) {
            config.keySet().forEach(System::clearProperty);
            throw e;
        }
    }

    /** Redis as everybody else sees it. */
    static RedisLockClient otherNode(Map<String, String> config) {
        return RedisLockClient.builder()
                .uri(config.get("redis-lock.uri"))
                .keyPrefix(config.get("redis-lock.key-prefix"))
                .clientName("other-node")
                .build();
    }

    /** The text that stops the deployment of these beans. */
    static String failure(Class<?>... beans) {
        return failure(config(), beans);
    }

    static String failure(Map<String, String> config, Class<?>... beans) {
        Throwable failure = catchThrowable(() -> deploy(config, beans).close());
        return failure == null ? "deployed" : failure.getMessage().replaceAll("\\n\\s+at .*", "");
    }

    /** The names of the properties are remembered, else. */
    private static void forgetConfig() {
        ConfigProviderResolver.instance().releaseConfig(ConfigProvider.getConfig());
    }

    <T> T get(Class<T> type, Annotation... qualifiers) {
        return container.select(type, qualifiers).get();
    }

    WeldContainer container() {
        return container;
    }

    @Override
    public void close() {
        try {
            container.shutdown();
        } finally {
            config.keySet().forEach(System::clearProperty);
        }
    }
}
