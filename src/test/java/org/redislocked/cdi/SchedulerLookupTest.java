package org.redislocked.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.spi.AfterDeploymentValidation;
import jakarta.enterprise.inject.spi.Extension;
import java.util.Hashtable;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicReference;
import javax.naming.Context;
import javax.naming.InitialContext;
import javax.naming.NameNotFoundException;
import javax.naming.NamingException;
import javax.naming.spi.InitialContextFactory;
import org.jboss.weld.environment.se.Weld;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.redislocked.testing.RecordedLog;

class SchedulerLookupTest {
    private static final Map<String, Object> BOUND = new ConcurrentHashMap<>();
    private static final AtomicReference<Callable<Object>> SLOWLY = new AtomicReference<>();

    private final ScheduledThreadPoolExecutor scheduler = new ScheduledThreadPoolExecutor(1);

    @ApplicationScoped
    static class Shop {}

    /** Spoils a deployment after ours was valid. */
    static class Spoiler implements Extension {
        void spoil(@Observes AfterDeploymentValidation event) {
            event.addDeploymentProblem(new IllegalArgumentException("spoilt"));
        }
    }

    /** As much of JNDI as a look-up needs. */
    public static class Naming implements InitialContextFactory {
        @Override
        @SuppressWarnings("BanJNDI")
        public Context getInitialContext(Hashtable<?, ?> environment) throws NamingException {
            return new InitialContext(true) {
                @Override
                public Object lookup(String name) throws NamingException {
                    Callable<Object> slowly = SLOWLY.get();
                    if (slowly != null) {
                        try {
                            return slowly.call();
                        } catch (Exception e) {
                            throw new IllegalStateException(e);
                        }
                    }
                    if (!BOUND.containsKey(name)) {
                        throw new NameNotFoundException(name);
                    }
                    return BOUND.get(name);
                }
            };
        }
    }

    @BeforeEach
    void useNaming() {
        System.setProperty(Context.INITIAL_CONTEXT_FACTORY, Naming.class.getName());
    }

    @AfterEach
    void clear() {
        System.clearProperty(Context.INITIAL_CONTEXT_FACTORY);
        BOUND.clear();
        SLOWLY.set(null);
        scheduler.shutdownNow();
    }

    @Test
    void scheduler_boundLater_isFoundThen() {
        SchedulerLookup lookup = new SchedulerLookup("java:comp/x", false);
        assertThat(lookup.get()).isNull();
        assertThat(lookup).hasToString("java:comp/x, or by a thread of its own");

        BOUND.put("java:comp/x", scheduler);

        assertThat(lookup.get()).isSameAs(scheduler);
        assertThat(lookup).hasToString("java:comp/x");
    }

    @Test
    void scheduler_applicationRuns_hasTheTaskBeforeTheFirstLockAndUntilTheEnd() {
        scheduler.setRemoveOnCancelPolicy(true);
        BOUND.put("java:comp/DefaultManagedScheduledExecutorService", scheduler);
        try (var application = TestApplication.deploy(Shop.class)) {
            assertThat(application).isNotNull();
            assertThat(scheduler.getQueue()).hasSize(1);
        }
        assertThat(scheduler.getQueue()).isEmpty();
    }

    @Test
    void scheduler_deploymentFailsLater_hasNoTask() {
        BOUND.put("java:comp/DefaultManagedScheduledExecutorService", scheduler);
        var weld = new Weld().addExtension(new Spoiler()).addBeanClass(Shop.class);
        assertThatThrownBy(() -> TestApplication.deploy(TestApplication.config(), weld))
                .hasMessageContaining("spoilt");
        assertThat(scheduler.getQueue()).isEmpty();
    }

    @Test
    void scheduler_configuredAndMissingTwice_isOneWarning() {
        BOUND.put("java:comp/x", "no scheduler");
        SchedulerLookup lookup = new SchedulerLookup("java:comp/x", true);

        try (var log = new RecordedLog()) {
            assertThat(lookup.get()).isNull();
            assertThat(log.lines()).isEmpty();
            assertThat(lookup.get()).isNull();
            assertThat(lookup.get()).isNull();
            assertThat(log.lines()).singleElement().asString().startsWith("WARNING No scheduler at 'java:comp/x'");
        }
    }

    @Test
    void scheduler_missingAndNotConfigured_isNoWarning() {
        SchedulerLookup lookup = new SchedulerLookup("java:comp/x", false);

        try (var log = new RecordedLog()) {
            assertThat(lookup.get()).isNull();
            assertThat(lookup.get()).isNull();
            assertThat(log.lines()).isEmpty();
        }
    }

    @Test
    void scheduler_configuredAsNone_isNotLookedUp() {
        BOUND.put("none", scheduler);
        BOUND.put("", scheduler);

        SchedulerLookup lookup = configured("none");

        assertThat(lookup.get()).isNull();
        assertThat(lookup).hasToString("a thread of its own");
    }

    @Test
    void scheduler_configuredAsBlank_isTheDefault() {
        BOUND.put("java:comp/DefaultManagedScheduledExecutorService", scheduler);

        assertThat(configured("").get()).isSameAs(scheduler);
        assertThat(configured(" ").get()).isSameAs(scheduler);
    }

    private static SchedulerLookup configured(String value) {
        return new Configuration(new FixedValues(Map.of("redis-lock.scheduler", value))).scheduler(new Problems());
    }

    @Test
    @Timeout(20)
    void lookup_thatTakesLong_keepsNobodyWaiting() throws InterruptedException {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        SLOWLY.set(() -> {
            started.countDown();
            mayEnd.await();
            return scheduler;
        });
        SchedulerLookup lookup = new SchedulerLookup("java:comp/x", false);
        Thread slow = new Thread(lookup::get);
        slow.start();
        started.await();

        assertThat(lookup).hasToString("java:comp/x, or by a thread of its own");

        mayEnd.countDown();
        slow.join();
        assertThat(lookup).hasToString("java:comp/x");
    }
}
