package org.redislocked.cdi;

import jakarta.decorator.Decorator;
import jakarta.enterprise.inject.spi.AnnotatedType;
import jakarta.enterprise.inject.spi.InjectionPoint;
import jakarta.interceptor.Interceptor;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the container told us of while it discovered beans, kept until all of it can be looked at together. */
final class Discovery {

    private static final Logger LOG = System.getLogger("org.redislocked");

    /** Classes and interfaces on which the annotation was seen. */
    private final Map<Class<?>, AnnotatedType<?>> annotated = new LinkedHashMap<>();

    private final Map<Class<?>, AnnotatedType<?>> beans = new LinkedHashMap<>();
    private final List<InjectionPoint> locks = new ArrayList<>();
    private final List<InjectionPoint> lookups = new ArrayList<>();

    void annotated(AnnotatedType<?> type) {
        if (isIntercepted(type)) {
            annotated.put(type.getJavaClass(), type);
        }
    }

    void bean(AnnotatedType<?> type) {
        if (isIntercepted(type)) {
            beans.put(type.getJavaClass(), type);
        }
    }

    void lock(InjectionPoint point) {
        locks.add(point);
    }

    void lookup(InjectionPoint point) {
        lookups.add(point);
    }

    /** {@return how many locks are injected} */
    int injectionPoints() {
        return locks.size() + lookups.size();
    }

    void readMethods(LockedMethods methods, Problems problems) {
        beans.values().forEach(type -> methods.add(type, problems));
        // containers do not announce message-driven beans, although they intercept them
        annotated.values().stream()
                .filter(type -> !beans.containsKey(type.getJavaClass()) && isMessageDriven(type))
                .forEach(type -> methods.add(type, problems));
    }

    void checkInjectionPoints(InjectedLocks injected, Problems problems) {
        locks.forEach(point -> injected.check(point, problems));
        lookups.forEach(point -> injected.checkName(point, problems));
    }

    /** Tells of annotations that do nothing, since no bean has them. */
    void warnOfIdleAnnotations() {
        Collection<Class<?>> classes = beans.keySet();
        annotated.forEach((type, annotatedType) -> {
            if (type.isInterface()) {
                LOG.log(
                        Level.WARNING,
                        "@RedisLocked on interface " + type.getName()
                                + " has no effect; put it on the class of the bean");
            } else if (!isMessageDriven(annotatedType) && classes.stream().noneMatch(type::isAssignableFrom)) {
                LOG.log(
                        Level.WARNING,
                        "@RedisLocked on " + type.getName() + " has no effect, since the class is no"
                                + " bean; give it a scope such as @ApplicationScoped, or remove the annotation");
            }
        });
    }

    /** Lets go of what containers would otherwise throw away once the application runs. */
    void forget() {
        annotated.clear();
        beans.clear();
        locks.clear();
        lookups.clear();
    }

    private static boolean isIntercepted(AnnotatedType<?> type) {
        return !type.isAnnotationPresent(Interceptor.class)
                && !type.isAnnotationPresent(Decorator.class)
                && !type.getJavaClass().isAnnotation();
    }

    /** By name, since there may be no EJB API. */
    private static boolean isMessageDriven(AnnotatedType<?> type) {
        return type.getAnnotations().stream()
                .anyMatch(annotation -> annotation.annotationType().getName().equals("jakarta.ejb.MessageDriven"));
    }
}
