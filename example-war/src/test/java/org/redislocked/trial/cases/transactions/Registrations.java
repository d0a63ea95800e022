package org.redislocked.trial.cases.transactions;

import jakarta.transaction.TransactionSynchronizationRegistry;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;
import org.redislocked.ReentrantRedisLock;

/**
 * Stands between the library and the server's registry: it counts what the library registers, or refuses it. The
 * platform has no means for either.
 */
final class Registrations implements AutoCloseable {

    private final Object library;
    private final Field field;
    private final Object original;
    private final AtomicInteger count = new AtomicInteger();
    private final boolean refusing;

    private Registrations(ReentrantRedisLock lock, boolean refusing) throws ReflectiveOperationException {
        this.refusing = refusing;
        library = value(value(value(lock, "engine"), "container"), "transactions");
        field = field(library, "registry");
        original = field.get(library);
        field.set(
                library,
                Proxy.newProxyInstance(
                        Registrations.class.getClassLoader(),
                        new Class<?>[] {TransactionSynchronizationRegistry.class},
                        (proxy, method, arguments) -> pass(method, arguments)));
    }

    static Registrations counted(ReentrantRedisLock lock) throws ReflectiveOperationException {
        return new Registrations(lock, false);
    }

    static Registrations refused(ReentrantRedisLock lock) throws ReflectiveOperationException {
        return new Registrations(lock, true);
    }

    private Object pass(Method method, Object[] arguments) throws Throwable {
        if (method.getName().equals("registerInterposedSynchronization")) {
            count.incrementAndGet();
            if (refusing) {
                throw new IllegalStateException("refused by the test");
            }
        }
        try {
            return method.invoke(original, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    int count() {
        return count.get();
    }

    @Override
    public void close() throws ReflectiveOperationException {
        field.set(library, original);
    }

    private static Object value(Object owner, String name) throws ReflectiveOperationException {
        return field(owner, name).get(owner);
    }

    private static Field field(Object owner, String name) throws ReflectiveOperationException {
        Field field = owner.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field;
    }
}
