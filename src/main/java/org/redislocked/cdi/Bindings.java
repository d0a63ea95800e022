package org.redislocked.cdi;

import jakarta.enterprise.inject.spi.Annotated;
import jakarta.enterprise.inject.spi.AnnotatedMethod;
import jakarta.enterprise.inject.spi.AnnotatedType;
import jakarta.enterprise.inject.spi.BeanManager;
import java.lang.annotation.Annotation;
import java.util.Collection;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.redislocked.RedisLocked;

/** Finds the annotation that governs a method: its own, else that of its class; direct, else by way of others. */
final class Bindings {

    private final BeanManager manager;

    Bindings(BeanManager manager) {
        this.manager = manager;
    }

    /** {@return the annotation of the method itself} */
    Optional<RedisLocked> of(AnnotatedMethod<?> method) {
        return find(method);
    }

    /** {@return the annotation that holds for all methods of the class} CDI has already added what is inherited. */
    Optional<RedisLocked> of(AnnotatedType<?> type) {
        return find(type);
    }

    private Optional<RedisLocked> find(Annotated annotated) {
        RedisLocked direct = annotated.getAnnotation(RedisLocked.class);
        return direct != null ? Optional.of(direct) : find(annotated.getAnnotations(), new HashSet<>());
    }

    /** Goes through stereotypes and other interceptor bindings, which may carry ours, and each other. */
    private Optional<RedisLocked> find(Collection<Annotation> annotations, Set<Class<?>> seen) {
        for (Annotation annotation : annotations) {
            Class<? extends Annotation> type = annotation.annotationType();
            if (annotation instanceof RedisLocked found) {
                return Optional.of(found);
            }
            if (!seen.add(type)) {
                continue;
            }
            Optional<RedisLocked> found = find(definition(type), seen);
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
