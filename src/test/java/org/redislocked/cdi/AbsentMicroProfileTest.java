package org.redislocked.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.enterprise.context.ApplicationScoped;
import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;
import java.util.concurrent.Callable;
import org.jboss.weld.environment.se.Weld;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.redislocked.RedisLocked;

/** A container without MicroProfile Config, such as Weld SE or TomEE Web Profile. */
class AbsentMicroProfileTest {
    private static final String URI = "redis-lock.uri";

    @AfterEach
    void clear() {
        System.clearProperty(URI);
        System.clearProperty("shop.lock");
    }

    /** Runs inside the loader below. */
    public static class Deployment implements Callable<String> {
        @ApplicationScoped
        static class Shop {
            @RedisLocked("${shop.lock}")
            String pay() {
                return "paid";
            }
        }

        @Override
        public String call() {
            try (var container = new Weld()
                    .disableDiscovery()
                    .addExtension(new RedisLockExtension())
                    .addBeanClass(Shop.class)
                    .initialize()) {
                return container.select(Shop.class).get().pay() + " with "
                        + ConfigValues.ofApplication().getClass().getSimpleName();
            }
        }
    }

    @Test
    void microProfile_absent_systemPropertiesAreRead() throws Exception {
        System.setProperty(URI, "memory:");
        System.setProperty("shop.lock", "order");

        assertThat(deployWithoutMicroProfile()).isEqualTo("paid with SystemValues");
    }

    @Test
    void microProfile_absent_valuesAreCheckedAllTheSame() {
        System.setProperty(URI, "memory:");

        assertThatThrownBy(AbsentMicroProfileTest::deployWithoutMicroProfile)
                .hasMessageContaining("'${shop.lock}' is not in the configuration");
    }

    @Test
    void key_always_hasAnEnvironmentVariable() {
        assertThat(SystemValues.environmentName("redis-lock.pool.max-size")).isEqualTo("REDIS_LOCK_POOL_MAX_SIZE");
        assertThat(new SystemValues().get("path")).contains(System.getenv("PATH"));
    }

    @SuppressWarnings("unchecked")
    private static String deployWithoutMicroProfile() throws Exception {
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        try (var loader = new WithoutMicroProfile()) {
            Thread.currentThread().setContextClassLoader(loader);
            Class<?> deployment = loader.loadClass(Deployment.class.getName());
            return ((Callable<String>) deployment.getConstructor().newInstance()).call();
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }

    /** The class path of the tests once more, without one API. */
    private static final class WithoutMicroProfile extends URLClassLoader {
        WithoutMicroProfile() {
            super(classPath(), ClassLoader.getPlatformClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.startsWith("org.eclipse.microprofile.") || name.startsWith("io.smallrye.config.")) {
                throw new ClassNotFoundException(name);
            }
            return super.loadClass(name, resolve);
        }

        private static URL[] classPath() {
            return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                    .map(entry -> {
                        try {
                            return new File(entry).toURI().toURL();
                        } catch (MalformedURLException e) {
                            throw new IllegalStateException(e);
                        }
                    })
                    .toArray(URL[]::new);
        }
    }
}
