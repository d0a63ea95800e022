package org.redislocked.cdi;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.spi.AfterBeanDiscovery;
import jakarta.enterprise.inject.spi.AfterDeploymentValidation;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.enterprise.inject.spi.Extension;
import jakarta.enterprise.inject.spi.ProcessInjectionPoint;
import jakarta.enterprise.inject.spi.ProcessSyntheticAnnotatedType;
import jakarta.interceptor.InvocationContext;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.ServerSocket;
import java.util.Map;
import java.util.ServiceLoader;
import org.jboss.weld.environment.se.Weld;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.redislocked.RedisLockUnavailableException;
import org.redislocked.RedisLocked;
import org.redislocked.RedisLocks;
import org.redislocked.testing.RecordedLog;

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
                            + ", renewal by java:comp/DefaultManagedScheduledExecutorService, or by a thread of its own;"
                            + " locked methods: 1, injected locks: 0");
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
    @Timeout(value = 20, unit = SECONDS)
    void redis_down_stopsTheFirstLockAndNotTheDeployment() throws IOException {
        Map<String, String> config = TestApplication.config();
        config.put("redis-lock.uri", "redis://localhost:" + closedPort());
        config.put("redis-lock.unavailable-timeout", "1s");
        try (var application = TestApplication.deploy(config, Shop.class)) {
            Shop shop = application.get(Shop.class);

            assertThatThrownBy(shop::pay)
                    .isInstanceOf(RedisLockUnavailableException.class)
                    .hasMessageContaining("order")
                    .hasMessageContaining(config.get("redis-lock.uri"));
        }
    }

    @Test
    @SuppressWarnings("unchecked")
    void extension_loadedTwice_leavesTheWorkToTheOther() {
        RedisLockExtension idle = new RedisLockExtension();
        RedisLockExtension working = new RedisLockExtension();
        try (var application =
                TestApplication.deploy(TestApplication.config(), working, new Weld().addBeanClass(Shop.class))) {
            ProcessSyntheticAnnotatedType<LockBeans> event = answering(ProcessSyntheticAnnotatedType.class, working);
            idle.noteWhoWorks(event);
            idle.noteLock(answering(ProcessInjectionPoint.class, null));

            // null would be an exception if it did anything
            idle.check(answering(AfterBeanDiscovery.class, null), answering(BeanManager.class, null));
            assertThat(idle.discovery.injectionPoints()).isZero();
            try (var log = new RecordedLog()) {
                idle.start(answering(AfterDeploymentValidation.class, null), answering(BeanManager.class, null));
                assertThat(log.lines()).isEmpty();
            }
            assertThat(application.get(Shop.class).pay()).isEqualTo("paid");
            assertThat(idle.client()).isSameAs(working.client());
        }
    }

    private static <T> T answering(Class<T> type, Object answer) {
        return type.cast(Proxy.newProxyInstance(
                LifecycleTest.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> answer));
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

    @Test
    void container_thatAnnouncesNoSource_worksAllTheSame() {
        RedisLockExtension unaware = new RedisLockExtension() {
            @Override
            void noteWhoWorks(ProcessSyntheticAnnotatedType<LockBeans> event) {
                throw new AssertionError("is no observer, without the annotation");
            }
        };
        try (var application =
                TestApplication.deploy(TestApplication.config(), unaware, new Weld().addBeanClass(Shop.class))) {
            assertThat(application.get(Shop.class).pay()).isEqualTo("paid");
        }
    }

    @Test
    void extension_beforeDiscoveryIsOver_saysSo() {
        assertThatThrownBy(() -> new RedisLockExtension().lockedMethod(answering(InvocationContext.class, null)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("No lock can be had before CDI has discovered the beans");
    }
}
