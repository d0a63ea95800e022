package org.redislocked.cdi;

import jakarta.enterprise.inject.spi.AnnotatedMethod;
import jakarta.enterprise.inject.spi.AnnotatedType;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.interceptor.InvocationContext;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.redislocked.RedisLocked;

/** The locked methods of the application, by bean class: read at deployment, looked up at each call. */
final class LockedMethods {

    /** Where Weld tells an interceptor which bindings brought it here. */
    private static final String WELD_BINDINGS = "org.jboss.weld.interceptor.bindings";

    private final BeanManager manager;
    private final Bindings bindings;
    private final LockedMethodReader reader;
    private final Map<Class<?>, Map<Method, LockedMethod>> byBean = new ConcurrentHashMap<>();

    /** A method that was not known at deployment, with the annotation that governs this call. */
    private record Latecomer(Class<?> beanClass, Method method, RedisLocked annotation) {}

    private final Map<Latecomer, LockedMethod> latecomers = new ConcurrentHashMap<>();

    LockedMethods(BeanManager manager, LockNames names) {
        this.manager = manager;
        this.bindings = new Bindings(manager);
        this.reader = new LockedMethodReader(names);
    }

    /** Reads the methods of a bean and notes what is wrong with them. */
    void add(AnnotatedType<?> type, Problems problems) {
        Class<?> beanClass = type.getJavaClass();
        Optional<RedisLocked> ofClass = bindings.of(type);
        for (AnnotatedMethod<?> method : type.getMethods()) {
            Optional<RedisLocked> own = bindings.of(method);
            if (own.or(() -> ofClass).isEmpty() || isOverridden(method.getJavaMember(), beanClass)) {
                continue;
            }
            if (own.isPresent()) {
                put(beanClass, reader.readOwn(own.get(), beanClass, method, problems));
            } else if (isBusinessMethod(method.getJavaMember())) {
                put(beanClass, reader.readOfClass(ofClass.orElseThrow(), beanClass, method, problems));
            }
        }
    }

    private void put(Class<?> beanClass, @Nullable LockedMethod method) {
        if (method != null) {
            byBean.computeIfAbsent(beanClass, key -> new ConcurrentHashMap<>()).put(method.method(), method);
        }
    }

    /** {@return what the call asks for} */
    LockedMethod of(InvocationContext call) {
        Method method = call.getMethod();
        // the target's class may be a subclass that the container made
        for (Class<?> type = call.getTarget().getClass(); type != null; type = type.getSuperclass()) {
            Map<Method, LockedMethod> methods = byBean.get(type);
            LockedMethod known = methods == null ? null : methods.get(method);
            if (known != null) {
                return known;
            }
        }
        return ofLatecomer(call);
    }

    /** {@return how many methods are locked} */
    int size() {
        return byBean.values().stream().mapToInt(Map::size).sum();
    }

    /** For what never was a bean of its own, as with {@code InterceptionFactory}. */
    private LockedMethod ofLatecomer(InvocationContext call) {
        Class<?> beanClass = unproxied(call.getTarget().getClass());
        String place = Problems.place(beanClass, call.getMethod());
        AnnotatedType<?> type = manager.createAnnotatedType(beanClass);
        AnnotatedMethod<?> method = type.getMethods().stream()
                .filter(candidate -> hasSignatureOf(call.getMethod(), candidate.getJavaMember()))
                .filter(candidate -> !isOverridden(candidate.getJavaMember(), beanClass))
                .findAny()
                .orElseThrow(() -> new IllegalStateException(place + " is no method of its bean; it was not run"));
        Optional<RedisLocked> own = bindings.of(method);
        RedisLocked annotation = weldBinding(call)
                .or(() -> own)
                .or(() -> bindings.of(type))
                .orElseThrow(() -> new IllegalStateException(
                        place + " has no @RedisLocked that can be seen; it was not run. Put one on its class"));
        return latecomers.computeIfAbsent(new Latecomer(beanClass, call.getMethod(), annotation), key -> {
            Problems problems = new Problems();
            LockedMethod locked = own.isPresent()
                    ? reader.readOwn(annotation, beanClass, method, problems)
                    : reader.readOfClass(annotation, beanClass, method, problems);
            if (locked == null) {
                throw new IllegalStateException(problems.report().orElseThrow());
            }
            return locked;
        });
    }

    private static Optional<RedisLocked> weldBinding(InvocationContext call) {
        return call.getContextData().get(WELD_BINDINGS) instanceof Collection<?> found
                ? found.stream()
                        .filter(RedisLocked.class::isInstance)
                        .map(RedisLocked.class::cast)
                        .findAny()
                : Optional.empty();
    }

    private static Class<?> unproxied(Class<?> type) {
        Class<?> candidate = type;
        while (candidate.isSynthetic() || candidate.getName().contains("$$")) {
            candidate = candidate.getSuperclass();
        }
        return candidate;
    }

    private static boolean isBusinessMethod(Method method) {
        int modifiers = method.getModifiers();
        return !Modifier.isPrivate(modifiers) && !Modifier.isStatic(modifiers) && !method.isSynthetic();
    }

    /** CDI lists the methods of the superclasses as well, overridden or not. */
    private static boolean isOverridden(Method method, Class<?> beanClass) {
        if (Modifier.isPrivate(method.getModifiers()) || Modifier.isStatic(method.getModifiers())) {
            return false;
        }
        for (Class<?> type = beanClass;
                type != null && type != method.getDeclaringClass();
                type = type.getSuperclass()) {
            if (Arrays.stream(type.getDeclaredMethods()).anyMatch(other -> hasSignatureOf(method, other))) {
                return true;
            }
        }
        return false;
    }

    private static boolean hasSignatureOf(Method method, Method other) {
        return method.getName().equals(other.getName())
                && Arrays.equals(method.getParameterTypes(), other.getParameterTypes());
    }
}
