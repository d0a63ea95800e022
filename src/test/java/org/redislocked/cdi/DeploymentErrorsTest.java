package org.redislocked.cdi;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.Stereotype;
import jakarta.inject.Inject;
import jakarta.inject.Provider;
import jakarta.interceptor.InterceptorBinding;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.redislocked.LockKey;
import org.redislocked.LockName;
import org.redislocked.RedisLocked;
import org.redislocked.RedisLocked.Busy;
import org.redislocked.ReentrantRedisLock;

/** The texts that developers read when they got something wrong. */
@SuppressWarnings({"UnusedMethod", "UnusedVariable", "DoNotCall"})
class DeploymentErrorsTest {
    private static final String HERE = DeploymentErrorsTest.class.getName() + "$";

    private static final String UNTOLD = " is not possible, since it does not tell when the work is done, and the lock"
            + " would be released before; return CompletionStage or CompletableFuture, or make the method @Asynchronous";

    @ApplicationScoped
    static class Times {
        @RedisLocked(accessTimeout = -5)
        void wait1() {}

        @RedisLocked(leaseTime = 99, leaseTimeUnit = TimeUnit.MILLISECONDS)
        void lease1() {}

        @RedisLocked(leaseTime = -5)
        void lease2() {}

        @RedisLocked(leaseTime = 366, leaseTimeUnit = TimeUnit.DAYS)
        void lease3() {}

        @RedisLocked(minHoldTime = 5)
        void hold1() {}

        @RedisLocked(accessTimeout = RedisLocked.UNLIMITED, leaseTime = 100, leaseTimeUnit = TimeUnit.MILLISECONDS)
        void right() {}
    }

    @Test
    void times_outOfBounds_areToldAllAtOnce() {
        String lease = " is not allowed; use 100 ms to 365 days, or RENEWED of RedisLocked";

        assertProblems(
                TestApplication.failure(Times.class),
                HERE + "Times.hold1(): minHoldTime = 5 is not yet supported by this version; remove it",
                HERE + "Times.lease1(): leaseTime = 99 MILLISECONDS" + lease,
                HERE + "Times.lease2(): leaseTime = -5 SECONDS" + lease,
                HERE + "Times.lease3(): leaseTime = 366 DAYS" + lease,
                HERE + "Times.wait1(): accessTimeout = -5 is not allowed; use 0 or more, or IMMEDIATE, UNLIMITED or"
                        + " DEFAULT of RedisLocked");
    }

    @ApplicationScoped
    static class Results {
        static class OwnFuture extends CompletableFuture<String> {}

        @RedisLocked(onBusy = Busy.SKIP)
        CompletionStage<String> stage() {
            return new CompletableFuture<>();
        }

        @RedisLocked
        CompletableFuture<String> completable() {
            return new CompletableFuture<>();
        }

        @RedisLocked
        OwnFuture ownFuture() {
            return new OwnFuture();
        }

        @RedisLocked
        @jakarta.enterprise.concurrent.Asynchronous
        Future<String> futureOfConcurrency() {
            return new CompletableFuture<>();
        }

        @RedisLocked
        @jakarta.ejb.Asynchronous
        Future<String> futureOfEjb() {
            return new CompletableFuture<>();
        }

        @RedisLocked
        @org.eclipse.microprofile.faulttolerance.Asynchronous
        CompletionStage<String> faultTolerant() {
            return new CompletableFuture<>();
        }

        @RedisLocked
        Future<String> future() {
            return new CompletableFuture<>();
        }

        @RedisLocked
        Flow.Publisher<String> publisher() {
            return subscriber -> {};
        }

        @RedisLocked(onBusy = Busy.SKIP)
        int number() {
            return 1;
        }
    }

    @Test
    void results_thatCannotBeLockedOrSkipped_areTold() {
        assertProblems(
                TestApplication.failure(Results.class),
                HERE + "Results.faultTolerant(): @RedisLocked together with @Asynchronous of MicroProfile Fault"
                        + " Tolerance is not possible, since that runs the method on another thread than the one that"
                        + " has the lock; use @Asynchronous of Jakarta Concurrency, or put @RedisLocked on another"
                        + " bean's method that this one calls",
                HERE + "Results.future(): @RedisLocked on a method that returns Future" + UNTOLD,
                HERE + "Results.number(): onBusy = SKIP cannot skip a method that returns int; return void, Optional,"
                        + " OptionalInt, OptionalLong, OptionalDouble or CompletionStage, or use THROW",
                HERE + "Results.ownFuture(): @RedisLocked on a method that returns OwnFuture" + UNTOLD,
                HERE + "Results.publisher(): @RedisLocked on a method that returns Publisher is not possible, since the"
                        + " lock would be released before anything is published; return a CompletionStage that completes"
                        + " when the work is done, or take the lock where the work is done");
    }

    @ApplicationScoped
    static class Names {
        @RedisLocked("#{id}")
        void expression(String id) {}

        @RedisLocked("${no.such.key}-x")
        void unresolved() {}

        @RedisLocked("${x")
        void open() {}

        @RedisLocked("${}")
        void keyless() {}

        @RedisLocked("${no.such.key:}")
        void nothing() {}

        @RedisLocked("~x")
        void tilde() {}

        @RedisLocked
        void key(@LockKey String id) {}

        @RedisLocked("${no.such.key:x}")
        void right() {}
    }

    @Test
    void names_thatAreWrong_areTold() {
        assertProblems(
                TestApplication.failure(Names.class),
                HERE + "Names.expression(String): @RedisLocked: '#{id}' contains #{, which is not yet supported by this"
                        + " version; use a literal name, or RedisLocks.get(name) with a name made by your code",
                HERE + "Names.key(String): @LockKey is not yet supported by this version; remove it, or use"
                        + " RedisLocks.get(name) with a name made by your code",
                HERE + "Names.keyless(): @RedisLocked: '${}' names no key; write ${key} or ${key:default}",
                HERE + "Names.nothing(): @RedisLocked: The name of a lock must not be empty",
                HERE + "Names.open(): @RedisLocked: '${x' has a ${ without its }; add the }",
                HERE + "Names.tilde(): @RedisLocked: The name of a lock must not begin with '~', which is reserved:"
                        + " '~x'",
                HERE + "Names.unresolved(): @RedisLocked: '${no.such.key}' is not in the configuration; set"
                        + " no.such.key, or give a default: ${no.such.key:default}");
    }

    @ApplicationScoped
    static class Modifiers {
        @RedisLocked
        private void hidden() {}

        @RedisLocked
        static void global() {}

        @RedisLocked
        final void last() {}
    }

    @Test
    void methods_thatAreNeverIntercepted_areTold() {
        String why = " method, since no call of it is intercepted; make it not ";
        String instead = ", or use an injected ReentrantRedisLock inside it";

        assertProblems(
                TestApplication.failure(Modifiers.class),
                HERE + "Modifiers.global(): @RedisLocked has no effect on a static" + why + "static" + instead,
                HERE + "Modifiers.hidden(): @RedisLocked has no effect on a private" + why + "private" + instead,
                HERE + "Modifiers.last(): @RedisLocked has no effect on a final" + why + "final" + instead);
    }

    @Stereotype
    @RedisLocked(onBusy = Busy.SKIP)
    @Retention(RetentionPolicy.RUNTIME)
    @interface Exclusive {}

    static class Base {
        int number() {
            return 1;
        }

        @RedisLocked(minHoldTime = 1)
        void overridden() {}
    }

    @Exclusive
    @ApplicationScoped
    static class Derived extends Base {
        @Override
        void overridden() {}
    }

    @Test
    void methodOfSuperclass_wrong_isToldWithTheBean() {
        assertProblems(
                TestApplication.failure(Derived.class),
                HERE + "Base.number() in bean " + HERE + "Derived: onBusy = SKIP cannot skip a method that returns int;"
                        + " return void, Optional, OptionalInt, OptionalLong, OptionalDouble or CompletionStage, or use THROW");
    }

    @InterceptorBinding
    @RedisLocked(onBusy = Busy.SKIP)
    @Retention(RetentionPolicy.RUNTIME)
    @interface Guarded {}

    @ApplicationScoped
    static class Carried {
        @Guarded
        int number() {
            return 1;
        }
    }

    @Test
    void method_wrongByABindingThatCarriesOurs_isTold() {
        assertProblems(
                TestApplication.failure(Carried.class),
                HERE + "Carried.number(): onBusy = SKIP cannot skip a method that returns int; return void, Optional,"
                        + " OptionalInt, OptionalLong, OptionalDouble or CompletionStage, or use THROW");
    }

    @ApplicationScoped
    static class Injected {
        @Inject
        ReentrantRedisLock nameless;

        @Inject
        @LockName("")
        ReentrantRedisLock empty;

        @Inject
        @LockName("~x")
        ReentrantRedisLock tilde;

        @Inject
        @LockName("${no.such.key}")
        Instance<ReentrantRedisLock> unresolved;

        @Inject
        Instance<ReentrantRedisLock> right;

        @Inject
        Provider<ReentrantRedisLock> provided;

        @Inject
        void init(@LockName("right") ReentrantRedisLock right, ReentrantRedisLock nameless) {}
    }

    @Test
    void injectionPoints_withoutProperName_areTold() {
        String nameless = ": a ReentrantRedisLock is injected without a name; add @LockName(\"…\"), or inject"
                + " RedisLocks and call get(name)";

        assertProblems(
                TestApplication.failure(Injected.class),
                HERE + "Injected.empty: @LockName: The name of a lock must not be empty",
                HERE + "Injected.init(ReentrantRedisLock, ReentrantRedisLock), parameter 2" + nameless,
                HERE + "Injected.nameless" + nameless,
                HERE + "Injected.provided" + nameless,
                HERE + "Injected.tilde: @LockName: The name of a lock must not begin with '~', which is reserved:"
                        + " '~x'",
                HERE + "Injected.unresolved: @LockName: '${no.such.key}' is not in the configuration; set no.such.key,"
                        + " or give a default: ${no.such.key:default}");
    }

    @Test
    void configurationAndMethods_wrong_areToldTogether() {
        Map<String, String> config = TestApplication.config();
        config.put("redis-lock.lease-time", "30");
        config.put("redis-lock.pool.max-size", "many");
        config.put("redis-lock.tls.verify-host-name", "yes");
        config.put("redis-lock.connections.other.uri", "redis://other");
        config.put("com.acme.Shop/pay/RedisLocked/accessTimeout", "5");

        assertProblems(
                TestApplication.failure(config, Derived.class),
                "com.acme.Shop/pay/RedisLocked/accessTimeout: configuration of single methods is not yet supported by"
                        + " this version; remove it and set the member of @RedisLocked",
                HERE + "Base.number() in bean " + HERE + "Derived: onBusy = SKIP cannot skip a method that returns int;"
                        + " return void, Optional, OptionalInt, OptionalLong, OptionalDouble or CompletionStage, or use THROW",
                "redis-lock.connections.other.uri: further connections are not yet supported by this version; remove"
                        + " it",
                "redis-lock.lease-time: '30' has no unit; write 30s or 30ms",
                "redis-lock.pool.max-size: 'many' is not a whole number",
                "redis-lock.tls.verify-host-name: 'yes' is neither true nor false");
    }

    @Test
    void value_outOfBounds_stopsTheDeploymentWithItsKey() {
        Map<String, String> config = TestApplication.config();
        config.put("redis-lock.lease-time", "100ms");

        assertThat(TestApplication.failure(config))
                .contains("redis-locked found a problem in this application:\n"
                        + "  - redis-lock.lease-time: PT0.1S is not allowed; it must be from PT1S to PT8760H");
    }

    @Test
    void password_inARefusedUri_isNotShown() {
        Map<String, String> config = TestApplication.config();
        config.put("redis-lock.uri", "redis://user:se%cret@localhost:99999");
        config.put("redis-lock.password", "s3cret");

        assertThat(TestApplication.failure(config)).contains("redis-lock.uri: ").doesNotContain("cret");
    }

    private static void assertProblems(String failure, String... problems) {
        String head = problems.length == 1
                ? "redis-locked found a problem in this application:"
                : "redis-locked found " + problems.length + " problems in this application:";
        assertThat(failure.substring(Math.max(0, failure.indexOf("redis-locked found")))
                        .strip())
                .isEqualTo(head + "\n  - " + String.join("\n  - ", problems));
    }
}
