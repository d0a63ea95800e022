package org.redislocked.cdi;

import jakarta.enterprise.inject.spi.Annotated;
import jakarta.enterprise.inject.spi.BeanManager;
import java.lang.annotation.Annotation;
import java.util.Collection;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.redislocked.RedisLocked;

/** Finds the annotation that governs a method or class: direct, else by way of stereotypes and other bindings. */
final class Bindings {

    private final BeanManager manager;

    Bindings(BeanManager manager) {
        this.manager = manager;
    }

    /** {@return the annotation of a method or class} CDI has already added what classes inherit. */
    Optional<RedisLocked> of(Annotated annotated) {
        return find(annotated, RedisLocked.class::isInstance).map(RedisLocked.class::cast);
    }

    /** {@return an annotation of this type, which may not be on the class path} */
    Optional<Annotation> named(String type, Annotated annotated) {
        return find(
                annotated, annotation -> annotation.annotationType().getName().equals(type));
    }

    private Optional<Annotation> find(Annotated annotated, Predicate<Annotation> wanted) {
        Optional<Annotation> direct =
                annotated.getAnnotations().stream().filter(wanted).findAny();
        return direct.isPresent() ? direct : find(annotated.getAnnotations(), wanted, new HashSet<>());
    }

    /** Goes through stereotypes and other interceptor bindings, which may carry the wanted one, and each other. */
    private Optional<Annotation> find(
            Collection<Annotation> annotations, Predicate<Annotation> wanted, Set<Class<?>> seen) {
        for (Annotation annotation : annotations) {
            if (wanted.test(annotation)) {
                return Optional.of(annotation);
            }
            Class<? extends Annotation> type = annotation.annotationType();
            if (!seen.add(type)) {
                continue;
            }
            Optional<Annotation> found = find(definition(type), wanted, seen);
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    private Set<Annotation> definition(Class<? extends Annotation> type) {
        if (manager.isStereotype(type)) {
            return manager.getStereotypeDefinition(type);
        }
        return manager.isInterceptorBinding(type) ? manager.getInterceptorBindingDefinition(type) : Set.of();
    }
}
