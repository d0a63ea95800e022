package org.redislocked.cdi;

import jakarta.enterprise.inject.spi.AnnotatedMethod;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
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

    private final LockNames names;

    LockedMethodReader(LockNames names) {
        this.names = names;
    }

    /** Reads an annotation that is on the method. Null if anything is wrong. */
    @Nullable
    LockedMethod readOwn(RedisLocked annotation, Class<?> beanClass, AnnotatedMethod<?> method, Problems problems) {
        String name = beanClass.getName() + "." + method.getJavaMember().getName();
        return new Reading(annotation, name, beanClass, method, problems).read();
    }

    /** Reads an annotation that is on the class: by default all its methods have one lock. Null if anything is wrong. */
    @Nullable
    LockedMethod readOfClass(RedisLocked annotation, Class<?> beanClass, AnnotatedMethod<?> method, Problems problems) {
        return new Reading(annotation, beanClass.getName(), beanClass, method, problems).read();
    }

    /** One pass over one method. */
    private final class Reading {
        private final RedisLocked annotation;
        private final String defaultName;
        private final AnnotatedMethod<?> annotated;
        private final Method method;
        private final String place;
        private final Problems problems;
        private boolean sound = true;

        Reading(
                RedisLocked annotation,
                String defaultName,
                Class<?> beanClass,
                AnnotatedMethod<?> annotated,
                Problems problems) {
            this.annotation = annotation;
            this.defaultName = defaultName;
            this.annotated = annotated;
            this.method = annotated.getJavaMember();
            this.place = Problems.place(beanClass, method);
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
            return sound ? new LockedMethod(method, name, wait, lease, annotation.onBusy()) : null;
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
            if (Stream.of(CompletionStage.class, Future.class, Flow.Publisher.class)
                    .anyMatch(type -> type.isAssignableFrom(result))) {
                problem("@RedisLocked on a method that returns " + result.getSimpleName() + " is not yet supported by"
                        + " this version, since the lock would be released before the work is done; do the work"
                        + " before the method returns, with another result");
            } else if (annotation.onBusy() == Busy.SKIP && !LockedMethod.canSkip(result)) {
                problem("onBusy = SKIP cannot skip a method that returns " + result.getSimpleName()
                        + "; return void, Optional, OptionalInt, OptionalLong or OptionalDouble, or use THROW");
            }
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
}
