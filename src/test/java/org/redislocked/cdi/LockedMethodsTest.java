package org.redislocked.cdi;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Stereotype;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.inject.Inject;
import jakarta.interceptor.InvocationContext;
import jakarta.transaction.Transactional;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jboss.weld.environment.se.Weld;
import org.junit.jupiter.api.Test;
import org.redislocked.Hold;
import org.redislocked.RedisLocked;
import org.redislocked.RedisLocked.Busy;
import org.redislocked.RedisLocks;
import org.redislocked.testing.RecordedLog;

/** Which methods are found to be locked. */
class LockedMethodsTest {
    private static final String HERE = LockedMethodsTest.class.getName() + "$";

    interface Source {
        Object get();
    }

    @ApplicationScoped
    static class Covariant implements Source {
        @Override
        @RedisLocked(onBusy = Busy.SKIP)
        public Optional<String> get() {
            return Optional.of("got");
        }
    }

    interface Task<T> {
        void run(T input);
    }

    @ApplicationScoped
    static class Generic implements Task<String> {
        @Override
        @RedisLocked
        public void run(String input) {}
    }

    /** The compiler gives the public subclass a bridge of the same signature. */
    static class Hidden {
        @Inject
        RedisLocks locks;

        @RedisLocked
        public Optional<String> held() {
            return locks.current().map(Hold::lockName);
        }
    }

    @ApplicationScoped
    public static class Accessible extends Hidden {}

    static class Parent<T> {
        @RedisLocked(minHoldTime = 1)
        public void run(T input) {}
    }

    @ApplicationScoped
    static class Child extends Parent<String> {
        @Override
        @RedisLocked
        public void run(String input) {}
    }

    @Test
    void bridges_ofLockedMethods_areNoMethodsOfTheirOwn() {
        try (var log = new RecordedLog();
                var application = TestApplication.deploy(
                        Covariant.class, Generic.class, Hidden.class, Accessible.class, Child.class)) {
            assertThat(log.lines()).singleElement().asString().contains("locked methods: 5,");
            assertThat(application.get(Covariant.class).get()).contains("got");
            assertThat(application.get(Accessible.class).held()).contains(HERE + "Accessible.held");
        }
    }

    @Test
    void bridge_asTheMethodOfACall_leadsToTheLock() {
        RedisLockExtension extension = new RedisLockExtension();
        try (var application = TestApplication.deploy(
                TestApplication.config(),
                extension,
                new Weld().addBeanClasses(Covariant.class, Generic.class, Accessible.class))) {
            for (Object target : new Object[] {new Covariant(), new Generic(), new Accessible()}) {
                Method bridge = bridge(target.getClass());

                LockedMethod locked = extension.lockedMethod(call(target, bridge));

                assertThat(locked.method().isBridge()).isFalse();
                assertThat(locked.lockName()).isEqualTo(target.getClass().getName() + "." + bridge.getName());
            }
            assertThat(application).isNotNull();
        }
    }

    @Stereotype
    @Retention(RetentionPolicy.RUNTIME)
    @Transactional(Transactional.TxType.NOT_SUPPORTED)
    @interface Outside {}

    @ApplicationScoped
    @RedisLocked
    static class Joining {
        void plain() {}

        @Transactional
        void required() {}

        @Transactional(Transactional.TxType.MANDATORY)
        void mandatory() {}

        @Transactional(Transactional.TxType.SUPPORTS)
        void supported() {}
    }

    @ApplicationScoped
    @RedisLocked
    @Transactional(Transactional.TxType.REQUIRES_NEW)
    static class NotJoining {
        void requiresNew() {}

        @Transactional(Transactional.TxType.NOT_SUPPORTED)
        void notSupported() {}

        @Transactional(Transactional.TxType.NEVER)
        void never() {}
    }

    @ApplicationScoped
    @RedisLocked
    @Transactional(Transactional.TxType.REQUIRES_NEW)
    static class JoiningByMethod {
        @Transactional
        void required() {}
    }

    @ApplicationScoped
    @RedisLocked
    @Outside
    static class NotJoiningByStereotype {
        void notSupported() {}
    }

    @Test
    void transactionOfTheCaller_isJoinedUnlessTheMethodRunsOutsideOfIt() {
        RedisLockExtension extension = new RedisLockExtension();
        try (var application = TestApplication.deploy(
                TestApplication.config(),
                extension,
                new Weld()
                        .addBeanClasses(
                                Joining.class,
                                NotJoining.class,
                                JoiningByMethod.class,
                                NotJoiningByStereotype.class))) {
            for (Object target :
                    new Object[] {new Joining(), new NotJoining(), new JoiningByMethod(), new NotJoiningByStereotype()
                    }) {
                for (Method method : target.getClass().getDeclaredMethods()) {
                    if (method.isSynthetic()) {
                        continue; // of the tool that measures coverage
                    }
                    assertThat(extension.lockedMethod(call(target, method)).joinsTransaction())
                            .as(method.toString())
                            .isEqualTo(target.getClass().getSimpleName().startsWith("Joining"));
                }
            }
            assertThat(application).isNotNull();
        }
    }

    static class NoBean {
        @RedisLocked
        void pay() {}
    }

    @Test
    void latecomer_calledAgain_isRememberedWithoutReflection() throws NoSuchMethodException {
        try (var application = TestApplication.deploy()) {
            AtomicInteger readings = new AtomicInteger();
            BeanManager manager = counting(application.container().getBeanManager(), readings);
            LockedMethods methods = new LockedMethods(manager, new LockNames(new FixedValues(Map.of())));
            InvocationContext call = call(new NoBean(), NoBean.class.getDeclaredMethod("pay"));

            assertThat(methods.of(call)).isSameAs(methods.of(call));
            assertThat(readings).hasValue(1);
        }
    }

    private static BeanManager counting(BeanManager manager, AtomicInteger readings) {
        return (BeanManager) Proxy.newProxyInstance(
                LockedMethodsTest.class.getClassLoader(),
                new Class<?>[] {BeanManager.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("createAnnotatedType")) {
                        readings.incrementAndGet();
                    }
                    return method.invoke(manager, arguments);
                });
    }

    private static InvocationContext call(Object target, Method method) {
        Map<String, Object> answers = Map.of("getTarget", target, "getMethod", method, "getContextData", Map.of());
        return (InvocationContext) Proxy.newProxyInstance(
                LockedMethodsTest.class.getClassLoader(),
                new Class<?>[] {InvocationContext.class},
                (proxy, asked, arguments) -> answers.get(asked.getName()));
    }

    private static Method bridge(Class<?> type) {
        return Arrays.stream(type.getDeclaredMethods())
                .filter(Method::isBridge)
                .findAny()
                .orElseThrow();
    }
}
