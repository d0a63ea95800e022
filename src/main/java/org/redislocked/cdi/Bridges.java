package org.redislocked.cdi;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;

/** Bridge methods: what the compiler adds for generics, for narrower results and for superclasses out of sight. */
final class Bridges {

    private Bridges() {}

    /** {@return the method that a bridge leads to; the given one if it is no bridge, or if that cannot be told} */
    static Method target(Method method) {
        if (!method.isBridge()) {
            return method;
        }
        // in its own class, else it makes a method of a superclass accessible
        for (Class<?> type = method.getDeclaringClass(); type != null; type = type.getSuperclass()) {
            List<Method> targets = Arrays.stream(type.getDeclaredMethods())
                    .filter(candidate -> mayLeadTo(method, candidate))
                    .toList();
            if (!targets.isEmpty()) {
                return targets.size() == 1 ? targets.get(0) : method;
            }
        }
        return method;
    }

    private static boolean mayLeadTo(Method bridge, Method candidate) {
        Class<?>[] wide = bridge.getParameterTypes();
        Class<?>[] narrow = candidate.getParameterTypes();
        if (candidate.isBridge()
                || !candidate.getName().equals(bridge.getName())
                || narrow.length != wide.length
                || !bridge.getReturnType().isAssignableFrom(candidate.getReturnType())) {
            return false;
        }
        for (int i = 0; i < wide.length; i++) {
            if (!wide[i].isAssignableFrom(narrow[i])) {
                return false;
            }
        }
        return true;
    }
}
