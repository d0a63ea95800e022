package org.redislocked.cdi;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.spi.AfterDeploymentValidation;
import jakarta.enterprise.inject.spi.Extension;
import java.io.IOException;
import java.net.ServerSocket;
import java.util.Map;
import java.util.ServiceLoader;
import org.jboss.weld.environment.se.Weld;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.redislocked.RedisLockUnavailableException;
import org.redislocked.RedisLocked;
import org.redislocked.RedisLocks;

class LifecycleTest {
    @ApplicationScoped
    static class Shop {
        @RedisLocked("order")
        String pay() {
            return "paid";
        }
    }

    @RedisLocked
    static class Forgotten {
        Forgotten(String noBean) {}
    }

    interface Promise {
        @RedisLocked
        void keep();
    }

    @Test
    void start_always_saysInOneLineWhatIsThere() {
        Map<String, String> config = TestApplication.config();
        try (var log = new RecordedLog();
                var application = TestApplication.deploy(config, Shop.class)) {
            assertThat(log.lines())
                    .containsExactly("INFO redis-locked (unreleased): " + config.get("redis-lock.uri")
                            + ", renewal by a thread of its own; locked methods: 1, injected locks: 0");
            assertThat(application.get(Shop.class).pay()).isEqualTo("paid");
        }
    }

    @Test
    void uri_memory_worksWithAWarning() {
        try (var log = new RecordedLog();
                var application = TestApplication.deploy(Map.of("redis-lock.uri", "memory:"), Shop.class)) {
            assertThat(application.get(Shop.class).pay()).isEqualTo("paid");
            assertThat(log.warnings())
                    .containsExactly("WARNING redis-lock.uri is memory: – locks are shared by no other JVM; for tests"
                            + " and development only");
        }
    }

    @Test
    void annotation_withoutBean_isAWarning() {
        try (var log = new RecordedLog();
                var application = TestApplication.deploy(Shop.class, Forgotten.class, Promise.class)) {
            assertThat(application.get(Shop.class).pay()).isEqualTo("paid");
            assertThat(log.warnings())
                    .containsExactlyInAnyOrder(
                            "WARNING @RedisLocked on " + Forgotten.class.getName() + " has no effect, since the class"
                                    + " is no bean; give it a scope such as @ApplicationScoped, or remove the annotation",
                            "WARNING @RedisLocked on interface " + Promise.class.getName()
                                    + " has no effect; put it on the class of the bean");
        }
    }

    @Test
    @Timeout(value = 5, unit = SECONDS)
    void redis_down_stopsTheFirstLockAndNotTheDeployment() throws IOException {
        Map<String, String> config = TestApplication.config();
        config.put("redis-lock.uri", "redis://localhost:" + closedPort());
        config.put("redis-lock.unavailable-timeout", "200ms");
        try (var application = TestApplication.deploy(config, Shop.class)) {
            Shop shop = application.get(Shop.class);

            assertThatThrownBy(shop::pay)
                    .isInstanceOf(RedisLockUnavailableException.class)
                    .hasMessageContaining("order")
                    .hasMessageContaining(config.get("redis-lock.uri"));
        }
    }

    @Test
    void extension_loadedTwice_worksOnce() {
        try (var log = new RecordedLog();
                var application = TestApplication.deploy(
                        TestApplication.config(),
                        new Weld().addExtension(new RedisLockExtension()).addBeanClass(Shop.class))) {
            assertThat(application.get(Shop.class).pay()).isEqualTo("paid");
            assertThat(log.lines()).hasSize(1);
        }
    }

    @Test
    void shutdown_always_closesTheClient() {
        RedisLockExtension extension = new RedisLockExtension();
        Map<String, String> config = TestApplication.config();
        RedisLocks client;
        try (var application = TestApplication.deploy(config, extension, new Weld().addBeanClass(Shop.class))) {
            application.get(Shop.class).pay();
            client = extension.client();
        }

        assertThatThrownBy(() -> client.get("order").tryLock())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
    }

    /** Spoils a deployment after ours was valid. */
    static class Spoiler implements Extension {
        void spoil(@Observes AfterDeploymentValidation event) {
            event.addDeploymentProblem(new IllegalArgumentException("spoilt"));
        }
    }

    @Test
    void deployment_spoiltByOthers_leavesNoThread() {
        var weld = new Weld().addExtension(new Spoiler()).addBeanClass(Shop.class);

        assertThatThrownBy(() -> TestApplication.deploy(TestApplication.config(), weld))
                .hasMessageContaining("spoilt");

        assertThat(Thread.getAllStackTraces().keySet())
                .noneMatch(thread -> thread.getName().startsWith("redis-locked"));
    }

    @Test
    void extension_inTheJar_isFoundByTheContainer() {
        assertThat(ServiceLoader.load(Extension.class)).hasAtLeastOneElementOfType(RedisLockExtension.class);
    }

    private static int closedPort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
