package org.redislocked.cdi;

import jakarta.enterprise.inject.spi.AnnotatedMethod;
import jakarta.enterprise.inject.spi.AnnotatedType;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.redislocked.LockKey;
import org.redislocked.RedisLocked;
import org.redislocked.RedisLocked.Busy;
import org.redislocked.core.LockSettings;

/** Turns an annotation and its method into a {@link LockedMethod}, or into problems. */
final class LockedMethodReader {

    private static final Duration DEFAULT_WAIT = Duration.ofSeconds(60);

    private static final String TRANSACTIONAL = "jakarta.transaction.Transactional";

    /** With these, the method does not run in the caller's transaction. */
    private static final Set<String> OTHER_TRANSACTION = Set.of("REQUIRES_NEW", "NOT_SUPPORTED", "NEVER");

    private static final String FAULT_TOLERANCE_ASYNCHRONOUS = "org.eclipse.microprofile.faulttolerance.Asynchronous";

    /** What has the method run on another thread, which takes the lock, and its {@code Future} be complete at the end. */
    private static final Set<String> ASYNCHRONOUS =
            Set.of("jakarta.ejb.Asynchronous", "jakarta.enterprise.concurrent.Asynchronous");

    private final LockNames names;
    private final Bindings bindings;

    LockedMethodReader(LockNames names, Bindings bindings) {
        this.names = names;
        this.bindings = bindings;
    }

    /** Reads an annotation that is on the method. Null if anything is wrong. */
    @Nullable
    LockedMethod readOwn(RedisLocked annotation, AnnotatedType<?> bean, AnnotatedMethod<?> method, Problems problems) {
        String name =
                bean.getJavaClass().getName() + "." + method.getJavaMember().getName();
        return new Reading(annotation, name, bean, method, problems).read();
    }

    /** Reads an annotation that is on the class: by default all its methods have one lock. Null if anything is wrong. */
    @Nullable
    LockedMethod readOfClass(
            RedisLocked annotation, AnnotatedType<?> bean, AnnotatedMethod<?> method, Problems problems) {
        return new Reading(annotation, bean.getJavaClass().getName(), bean, method, problems).read();
    }

    /** One pass over one method. */
    private final class Reading {
        private final RedisLocked annotation;
        private final String defaultName;
        private final AnnotatedType<?> bean;
        private final AnnotatedMethod<?> annotated;
        private final Method method;
        private final String place;
        private final Problems problems;
        private boolean sound = true;

        Reading(
                RedisLocked annotation,
                String defaultName,
                AnnotatedType<?> bean,
                AnnotatedMethod<?> annotated,
                Problems problems) {
            this.annotation = annotation;
            this.defaultName = defaultName;
            this.bean = bean;
            this.annotated = annotated;
            this.method = annotated.getJavaMember();
            this.place = Problems.place(bean.getJavaClass(), method);
            this.problems = problems;
        }

        @Nullable
        LockedMethod read() {
            checkModifiers();
            checkResult();
            checkReserved();
            String name = name();
            long wait = waitNanos();
            long lease = leaseNanos();
            return sound ? new LockedMethod(method, name, wait, lease, joinsTransaction(), annotation.onBusy()) : null;
        }

        private void problem(String text) {
            problems.add(place, text);
            sound = false;
        }

        private void checkModifiers() {
            int modifiers = method.getModifiers();
            Stream.of("private", "static", "final")
                    .filter(Modifier.toString(modifiers)::contains)
                    .findFirst()
                    .ifPresent(word -> problem("@RedisLocked has no effect on a " + word
                            + " method, since no call of it is intercepted; make it not " + word
                            + ", or use an injected ReentrantRedisLock inside it"));
        }

        private void checkResult() {
            Class<?> result = method.getReturnType();
            if (annotation(FAULT_TOLERANCE_ASYNCHRONOUS).isPresent()) {
                problem(
                        "@RedisLocked together with @Asynchronous of MicroProfile Fault Tolerance is not possible, since"
                                + " that runs the method on another thread than the one that has the lock; use @Asynchronous of"
                                + " Jakarta Concurrency, or put @RedisLocked on another bean's method that this one calls");
            } else if (Flow.Publisher.class.isAssignableFrom(result)) {
                problem("@RedisLocked on a method that returns " + result.getSimpleName()
                        + " is not possible, since the"
                        + " lock would be released before anything is published; return a CompletionStage that completes"
                        + " when the work is done, or take the lock where the work is done");
            } else if (isUntold(result)) {
                problem("@RedisLocked on a method that returns " + result.getSimpleName() + " is not possible, since it"
                        + " does not tell when the work is done, and the lock would be released before; return"
                        + " CompletionStage or CompletableFuture, or make the method @Asynchronous");
            } else if (annotation.onBusy() == Busy.SKIP && !LockedMethod.canSkip(result)) {
                problem("onBusy = SKIP cannot skip a method that returns " + result.getSimpleName()
                        + "; return void, Optional, OptionalInt, OptionalLong, OptionalDouble or CompletionStage, or use"
                        + " THROW");
            }
        }

        /** A future of which nobody learns when it is complete, or whose type we cannot make. */
        private boolean isUntold(Class<?> result) {
            boolean future = Future.class.isAssignableFrom(result) || CompletionStage.class.isAssignableFrom(result);
            boolean told =
                    CompletionStage.class.isAssignableFrom(result) && result.isAssignableFrom(CompletableFuture.class);
            return future
                    && !told
                    && ASYNCHRONOUS.stream().noneMatch(type -> annotation(type).isPresent());
        }

        private boolean joinsTransaction() {
            return annotation(TRANSACTIONAL)
                    .map(LockedMethodReader::transactionType)
                    .filter(OTHER_TRANSACTION::contains)
                    .isEmpty();
        }

        private Optional<Annotation> annotation(String type) {
            return bindings.named(type, annotated).or(() -> bindings.named(type, bean));
        }

        private void checkReserved() {
            if (annotation.minHoldTime() != 0) {
                problem("minHoldTime = " + annotation.minHoldTime()
                        + " is not yet supported by this version; remove it");
            }
            if (annotated.getParameters().stream().anyMatch(p -> p.isAnnotationPresent(LockKey.class))) {
                problem("@LockKey is not yet supported by this version; remove it, or use RedisLocks.get(name) with a"
                        + " name made by your code");
            }
        }

        private String name() {
            if (annotation.value().isEmpty()) {
                return defaultName;
            }
            try {
                return names.resolve(annotation.value());
            } catch (IllegalArgumentException e) {
                problem("@RedisLocked: " + e.getMessage());
                return defaultName;
            }
        }

        private long waitNanos() {
            long time = annotation.accessTimeout();
            if (time == RedisLocked.DEFAULT) {
                return annotation.onBusy() == Busy.SKIP ? 0 : DEFAULT_WAIT.toNanos();
            }
            if (time == RedisLocked.UNLIMITED) {
                return LockedMethod.UNLIMITED;
            }
            if (time < 0) {
                problem("accessTimeout = " + time + " is not allowed;"
                        + " use 0 or more, or IMMEDIATE, UNLIMITED or DEFAULT of RedisLocked");
            }
            return annotation.unit().toNanos(time);
        }

        private long leaseNanos() {
            if (annotation.leaseTime() == RedisLocked.RENEWED) {
                return LockedMethod.RENEWED;
            }
            long nanos = annotation.leaseTimeUnit().toNanos(annotation.leaseTime());
            if (nanos < LockSettings.SHORTEST_LEASE.toNanos() || nanos > LockSettings.LONGEST.toNanos()) {
                problem("leaseTime = " + annotation.leaseTime() + " " + annotation.leaseTimeUnit() + " is not allowed;"
                        + " use " + Durations.format(LockSettings.SHORTEST_LEASE) + " to "
                        + LockSettings.LONGEST.toDays() + " days, or RENEWED of RedisLocked");
            }
            return nanos;
        }
    }

    private static String transactionType(Annotation transactional) {
        try {
            return String.valueOf(
                    transactional.annotationType().getMethod("value").invoke(transactional));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("@Transactional has no type", e);
        }
    }
}
