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

    /** A method that was not known at deployment, with the annotation of this call if the container tells it. */
    private record Latecomer(Class<?> target, Method method, Optional<RedisLocked> told) {}

    private final Map<Latecomer, LockedMethod> latecomers = new ConcurrentHashMap<>();

    LockedMethods(BeanManager manager, LockNames names) {
        this.manager = manager;
        this.bindings = new Bindings(manager);
        this.reader = new LockedMethodReader(names, bindings);
    }

    /** Reads the methods of a bean and notes what is wrong with them. */
    void add(AnnotatedType<?> type, Problems problems) {
        Class<?> beanClass = type.getJavaClass();
        Optional<RedisLocked> ofClass = bindings.of(type);
        for (AnnotatedMethod<?> method : type.getMethods()) {
            if (method.getJavaMember().isBridge()) {
                continue; // the compiler has copied the annotation of the method that it leads to
            }
            Optional<RedisLocked> own = bindings.of(method);
            if (own.or(() -> ofClass).isEmpty() || isOverridden(method.getJavaMember(), beanClass)) {
                continue;
            }
            if (own.isPresent()) {
                put(beanClass, reader.readOwn(own.get(), type, method, problems));
            } else if (isBusinessMethod(method.getJavaMember())) {
                put(beanClass, reader.readOfClass(ofClass.orElseThrow(), type, method, problems));
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
        Method method = Bridges.target(call.getMethod());
        // the target's class may be a subclass that the container made
        for (Class<?> type = call.getTarget().getClass(); type != null; type = type.getSuperclass()) {
            Map<Method, LockedMethod> methods = byBean.get(type);
            LockedMethod known = methods == null ? null : methods.get(method);
            if (known != null) {
                return known;
            }
        }
        return latecomers.computeIfAbsent(
                new Latecomer(call.getTarget().getClass(), method, weldBinding(call)), this::read);
    }

    /** {@return how many methods are locked} */
    int size() {
        return byBean.values().stream().mapToInt(Map::size).sum();
    }

    /** For what never was a bean of its own, as with {@code InterceptionFactory}. */
    private LockedMethod read(Latecomer latecomer) {
        Class<?> beanClass = unproxied(latecomer.target);
        Method called = latecomer.method;
        String place = Problems.place(beanClass, called);
        AnnotatedType<?> type = manager.createAnnotatedType(beanClass);
        AnnotatedMethod<?> method = type.getMethods().stream()
                .filter(candidate ->
                        called.isBridge() == candidate.getJavaMember().isBridge())
                .filter(candidate -> hasSignatureOf(called, candidate.getJavaMember()))
                .filter(candidate -> !isOverridden(candidate.getJavaMember(), beanClass))
                .findAny()
                .orElseThrow(() -> new IllegalStateException(place + " is no method of its bean; it was not run"));
        Optional<RedisLocked> own = bindings.of(method);
        RedisLocked annotation = latecomer
                .told
                .or(() -> own)
                .or(() -> bindings.of(type))
                .orElseThrow(() -> new IllegalStateException(
                        place + " has no @RedisLocked that can be seen; it was not run. Put one on its class"));
        Problems problems = new Problems();
        LockedMethod locked = own.isPresent()
                ? reader.readOwn(annotation, type, method, problems)
                : reader.readOfClass(annotation, type, method, problems);
        if (locked == null) {
            throw new IllegalStateException(problems.report().orElseThrow());
        }
        return locked;
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
            if (Arrays.stream(type.getDeclaredMethods()).anyMatch(other -> overrides(other, method))) {
                return true;
            }
        }
        return false;
    }

    /** A bridge that only makes the method accessible does not. */
    private static boolean overrides(Method other, Method method) {
        return hasSignatureOf(method, other)
                && !(other.isBridge() && Bridges.target(other).equals(method));
    }

    private static boolean hasSignatureOf(Method method, Method other) {
        return method.getName().equals(other.getName())
                && Arrays.equals(method.getParameterTypes(), other.getParameterTypes());
    }
}
