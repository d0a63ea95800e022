package org.redislocked.cdi;

import jakarta.enterprise.inject.spi.AnnotatedParameter;
import jakarta.enterprise.inject.spi.InjectionPoint;
import java.lang.annotation.Annotation;
import java.util.Collection;
import java.util.Optional;
import org.redislocked.LockName;

/** Checks the places where a lock is injected, and names the locks that go there. */
final class InjectedLocks {

    private final LockNames names;

    InjectedLocks(LockNames names) {
        this.names = names;
    }

    /** A lock itself must have a name. */
    void check(InjectionPoint point, Problems problems) {
        if (point.isDelegate()) {
            return;
        }
        if (qualifier(point.getQualifiers()).isEmpty()) {
            problems.add(
                    place(point),
                    "a ReentrantRedisLock is injected without a name;"
                            + " add @LockName(\"…\"), or inject RedisLocks and call get(name)");
        }
        checkName(point, problems);
    }

    /** An {@code Instance} may get the name later, by {@code select(LockName.Literal.of("…"))}. */
    void checkName(InjectionPoint point, Problems problems) {
        qualifier(point.getQualifiers()).ifPresent(qualifier -> {
            try {
                names.resolve(qualifier.value());
            } catch (IllegalArgumentException e) {
                problems.add(place(point), "@LockName: " + e.getMessage());
            }
        });
    }

    /** {@return the name of the lock for an injection point or a lookup} */
    String name(InjectionPoint point) {
        return names.resolve(qualifier(point.getQualifiers())
                .orElseThrow(() -> new IllegalArgumentException("A ReentrantRedisLock was looked up without a name;"
                        + " use select(LockName.Literal.of(\"…\")), or RedisLocks.get(name)"))
                .value());
    }

    private static Optional<LockName> qualifier(Collection<Annotation> qualifiers) {
        return qualifiers.stream()
                .filter(LockName.class::isInstance)
                .map(LockName.class::cast)
                .findAny();
    }

    private static String place(InjectionPoint point) {
        String member = Problems.place(point.getMember().getDeclaringClass(), point.getMember());
        return point.getAnnotated() instanceof AnnotatedParameter<?> parameter
                ? member + ", parameter " + (parameter.getPosition() + 1)
                : member;
    }
}
