package org.redislocked.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import jakarta.enterprise.inject.Stereotype;
import jakarta.enterprise.inject.spi.InterceptionFactory;
import jakarta.inject.Inject;
import jakarta.inject.Named;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.AroundTimeout;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InterceptorBinding;
import jakarta.interceptor.InvocationContext;
import java.io.IOException;
import java.io.Serializable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jboss.weld.environment.se.Weld;
import org.jboss.weld.junit5.EnableWeld;
import org.jboss.weld.junit5.WeldInitiator;
import org.jboss.weld.junit5.WeldSetup;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.redislocked.Hold;
import org.redislocked.RedisLockLostException;
import org.redislocked.RedisLockTimeoutException;
import org.redislocked.RedisLocked;
import org.redislocked.RedisLocked.Busy;
import org.redislocked.RedisLocks;
import org.redislocked.ReentrantRedisLock;
import org.redislocked.redis.RedisLockClient;
import redis.clients.jedis.RedisClient;

@EnableWeld
class RedisLockedInterceptorTest {
    private static final String HERE = RedisLockedInterceptorTest.class.getName() + "$";
    private static final Map<String, String> CONFIG = TestApplication.config();

    static {
        CONFIG.put("shop.lock", "configured");
        CONFIG.forEach(System::setProperty);
    }

    @WeldSetup
    private final WeldInitiator weld = WeldInitiator.from(new Weld()
                    .disableDiscovery()
                    .addExtension(new RedisLockExtension())
                    .beanClasses(
                            Shop.class,
                            Stock.class,
                            Derived.class,
                            ByStereotype.class,
                            ByBinding.class,
                            Generic.class,
                            Made.class,
                            Passivating.class))
            .build();

    private final RedisLockClient otherNode = TestApplication.otherNode(CONFIG);

    @Inject
    Shop shop;

    @Inject
    Stock stock;

    @Inject
    Derived derived;

    @Inject
    RedisLocks locks;

    @AfterEach
    void closeOtherNode() {
        if (otherNode.get("order").isHeldByCurrentThread()) {
            otherNode.get("order").unlock();
        }
        otherNode.close();
    }

    @AfterAll
    static void clearConfig() {
        CONFIG.keySet().forEach(System::clearProperty);
    }

    @ApplicationScoped
    static class Shop {
        @Inject
        RedisLocks locks;

        @Inject
        Stock stock;

        @RedisLocked("order")
        String named() {
            return describe(locks);
        }

        @RedisLocked("${shop.lock}-order")
        String configured() {
            return describe(locks);
        }

        @RedisLocked
        String unnamed() {
            return describe(locks);
        }

        String notLocked() {
            return describe(locks);
        }

        @RedisLocked("stock")
        String nested() {
            return stock.take();
        }

        @RedisLocked(value = "order", leaseTime = 5, accessTimeout = RedisLocked.UNLIMITED)
        long lease() {
            return locks.get("order").remainingLease().toSeconds();
        }

        @RedisLocked("order")
        void failing(Throwable failure) throws IOException {
            throwUnchecked(failure);
        }

        @RedisLocked(value = "order", accessTimeout = 20, unit = TimeUnit.MILLISECONDS)
        void impatient() {}

        @RedisLocked(value = "order", accessTimeout = RedisLocked.IMMEDIATE)
        void immediate() {}

        @RedisLocked("order")
        void interruptible() throws InterruptedException {}

        @RedisLocked("order")
        void notInterruptible() throws IOException {}

        @RedisLocked("order")
        void running(Runnable work) {
            work.run();
        }

        @RedisLocked(value = "order", onBusy = Busy.SKIP)
        void skippedVoid(Runnable work) {
            work.run();
        }

        @RedisLocked(value = "order", onBusy = Busy.SKIP)
        Optional<String> skippedOptional() {
            return Optional.of("ran");
        }

        @RedisLocked(value = "order", onBusy = Busy.SKIP)
        OptionalInt skippedInt() {
            return OptionalInt.of(1);
        }

        @RedisLocked(value = "order", onBusy = Busy.SKIP)
        OptionalLong skippedLong() {
            return OptionalLong.of(1);
        }

        @RedisLocked(value = "order", onBusy = Busy.SKIP)
        OptionalDouble skippedDouble() {
            return OptionalDouble.of(1);
        }
    }

    @RedisLocked("stock")
    @ApplicationScoped
    static class Stock {
        @Inject
        RedisLocks locks;

        String take() {
            return describe(locks);
        }

        @RedisLocked(onBusy = Busy.SKIP)
        Optional<String> replacing() {
            return Optional.of(describe(locks));
        }
    }

    @RedisLocked
    static class Base {
        @Inject
        RedisLocks locks;

        String inherited() {
            return describe(locks);
        }

        @RedisLocked("own")
        String inheritedOwn() {
            return describe(locks);
        }

        @RedisLocked("own")
        String overridden() {
            return describe(locks);
        }
    }

    @ApplicationScoped
    static class Derived extends Base {
        @Override
        String overridden() {
            return super.overridden();
        }
    }

    @RedisLocked("stereotype")
    @Stereotype
    @Retention(RetentionPolicy.RUNTIME)
    @interface Inner {}

    @Inner
    @Stereotype
    @Retention(RetentionPolicy.RUNTIME)
    @interface Outer {}

    @Outer
    @ApplicationScoped
    static class ByStereotype {
        @Inject
        RedisLocks locks;

        String call() {
            return describe(locks);
        }
    }

    @RedisLocked("binding")
    @InterceptorBinding
    @Retention(RetentionPolicy.RUNTIME)
    @interface Guarded {}

    @Guarded
    @Interceptor
    @Priority(Interceptor.Priority.APPLICATION)
    static class GuardedInterceptor {
        @AroundInvoke
        Object proceed(InvocationContext call) throws Exception {
            return call.proceed();
        }
    }

    @ApplicationScoped
    static class ByBinding {
        @Inject
        RedisLocks locks;

        @Guarded
        String call() {
            return describe(locks);
        }
    }

    interface Handler<T> {
        String handle(T value);
    }

    @ApplicationScoped
    static class Generic implements Handler<String> {
        @Inject
        RedisLocks locks;

        @Override
        @RedisLocked
        public String handle(String value) {
            return describe(locks);
        }
    }

    static class Plain {
        Supplier<String> work = () -> "no work";

        String call() {
            return work.get();
        }
    }

    @ApplicationScoped
    static class Made {
        @Produces
        @Named("made")
        Plain make(InterceptionFactory<Plain> factory, RedisLocks locks) {
            factory.configure().add(new RedisLockedLiteral());
            Plain plain = new Plain();
            plain.work = () -> describe(locks);
            return factory.createInterceptedInstance(plain);
        }
    }

    /** Deploys only if the interceptor may be passivated with it. */
    @jakarta.enterprise.context.SessionScoped
    static class Passivating implements Serializable {
        private static final long serialVersionUID = 1L;

        @RedisLocked
        void call() {}
    }

    @Test
    void method_annotated_runsUnderItsLock() {
        assertThat(shop.named()).isEqualTo("order 1");
        assertThat(locks.get("order").isLocked()).isFalse();
        assertThat(shop.notLocked()).isEqualTo("none");
    }

    @Test
    void method_withoutName_isNamedAfterBeanAndMethod() {
        assertThat(shop.unnamed()).isEqualTo(HERE + "Shop.unnamed 1");
    }

    @Test
    void name_withExpression_comesFromTheConfiguration() {
        assertThat(shop.configured()).isEqualTo("configured-order 1");
    }

    @Test
    void class_annotated_locksItsMethods() {
        assertThat(stock.take()).isEqualTo("stock 1");
    }

    @Test
    void method_inAnnotatedClass_replacesTheClassAsAWhole() {
        assertThat(stock.replacing()).contains(HERE + "Stock.replacing 1");
    }

    @Test
    void superclass_annotated_locksUnderTheNameOfTheBean() {
        assertThat(derived.inherited()).isEqualTo(HERE + "Derived 1");
        assertThat(derived.inheritedOwn()).isEqualTo("own 1");
        assertThat(derived.overridden()).isEqualTo(HERE + "Derived 1");
    }

    @Test
    void stereotype_ofStereotype_locks() {
        assertThat(weld.select(ByStereotype.class).get().call()).isEqualTo("stereotype 1");
    }

    @Test
    void binding_thatCarriesOurs_locks() {
        assertThat(weld.select(ByBinding.class).get().call()).isEqualTo("binding 1");
    }

    @Test
    void method_calledThroughGenericInterface_locksOnce() {
        Handler<String> handler = weld.select(Generic.class).get();

        assertThat(handler.handle("x")).isEqualTo(HERE + "Generic.handle 1");
    }

    @Test
    void object_ofInterceptionFactory_isLocked() {
        Plain made = weld.select(Plain.class, jakarta.enterprise.inject.literal.NamedLiteral.of("made"))
                .get();

        assertThat(made.call()).isEqualTo(HERE + "Plain 1");
    }

    @Test
    void call_ofAnotherBeanWithTheSameLock_reenters() {
        assertThat(shop.nested()).isEqualTo("stock 2");
        assertThat(locks.get("stock").isLocked()).isFalse();
    }

    @Test
    void lease_explicit_isTaken() {
        assertThat(shop.lease()).isBetween(3L, 5L);
    }

    @Test
    void failure_ofAnyKind_releasesAndPasses() {
        for (Throwable failure :
                new Throwable[] {new IOException("io"), new IllegalStateException(), new AssertionError()}) {
            assertThat(catchThrowable(() -> shop.failing(failure)))
                    .isSameAs(failure)
                    .hasNoSuppressedExceptions();
            assertThat(locks.get("order").isLocked()).isFalse();
        }
    }

    @Test
    void lock_busyUntilTimeIsUp_saysWhoHoldsIt() {
        otherNode.get("order").lock();

        assertThatThrownBy(() -> shop.impatient())
                .isInstanceOfSatisfying(
                        RedisLockTimeoutException.class,
                        e -> assertThat(e.lockName()).isEqualTo("order"))
                .hasMessageMatching("Lock 'order' was not to be had within 20 ms; \\S+Shop\\.impatient\\(\\) was not"
                        + " run\\. It is held by other-node-\\S+ for \\d\\S* m?s, entered once; its lease ends in"
                        + " \\d\\S* m?s unless renewed\\.");
        assertThatThrownBy(() -> shop.immediate()).hasMessageStartingWith("Lock 'order' is not free; ");
    }

    @Test
    void lock_busy_isSkippedWithTheEmptyResult() {
        otherNode.get("order").lock();

        shop.skippedVoid(() -> {
            throw new AssertionError("ran");
        });
        assertThat(shop.skippedOptional()).isEmpty();
        assertThat(shop.skippedInt()).isEmpty();
        assertThat(shop.skippedLong()).isEmpty();
        assertThat(shop.skippedDouble()).isEmpty();
    }

    @Test
    void lock_freeWithSkip_runs() {
        assertThat(shop.skippedOptional()).contains("ran");
    }

    @Test
    void interrupt_ifDeclared_isThrown() {
        otherNode.get("order").lock();
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> shop.interruptible()).isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void interrupt_ifNotDeclared_isCarriedWithTheFlagSet() {
        otherNode.get("order").lock();
        Thread.currentThread().interrupt();

        Throwable thrown = catchThrowable(() -> shop.notInterruptible());

        assertThat(Thread.interrupted()).isTrue();
        assertThat(thrown)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Interrupted while waiting for lock 'order'")
                .hasCauseInstanceOf(InterruptedException.class);
    }

    @Test
    void hold_lostMeanwhile_isToldAfterTheMethod() {
        assertThatThrownBy(() -> shop.running(this::stealOrder)).isInstanceOf(RedisLockLostException.class);
    }

    @Test
    void hold_lostInAFailingMethod_isSuppressedInItsException() {
        IllegalArgumentException failure = new IllegalArgumentException("business");

        Throwable thrown = catchThrowable(() -> shop.running(() -> {
            stealOrder();
            throw failure;
        }));

        assertThat(thrown).isSameAs(failure);
        assertThat(thrown.getSuppressed()).singleElement().isInstanceOf(RedisLockLostException.class);
    }

    @Test
    void interceptor_always_standsBetweenLockAndTransactional() {
        assertThat(RedisLockedInterceptor.class.getAnnotation(Priority.class).value())
                .isEqualTo(Interceptor.Priority.PLATFORM_BEFORE + 150);
        assertThat(Arrays.stream(RedisLockedInterceptor.class.getDeclaredMethods())
                        .filter(method -> method.isAnnotationPresent(AroundTimeout.class)))
                .hasSize(1);
    }

    private void stealOrder() {
        try (RedisClient redis = RedisClient.create(CONFIG.get("redis-lock.uri"))) {
            redis.del(CONFIG.get("redis-lock.key-prefix") + "order");
        }
    }

    private static String describe(RedisLocks locks) {
        return locks.current()
                .map(Hold::lockName)
                .map(name -> name + " " + count(locks.get(name)))
                .orElse("none");
    }

    private static long count(ReentrantRedisLock lock) {
        return lock.getHoldCount();
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void throwUnchecked(Throwable failure) throws T {
        throw (T) failure;
    }
}
