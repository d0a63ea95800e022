package org.redislocked.testing;

import java.util.concurrent.ThreadFactory;

/**
 * Virtual threads by reflection, since all is compiled for Java 17. Tests that need them carry
 * {@code @Tag(VirtualThreads.TAG)}: the build runs those on the newest JDK that it finds, and not on one without.
 */
public final class VirtualThreads {
    public static final String TAG = "virtual-threads";

    private VirtualThreads() {}

    public static boolean available() {
        return Runtime.version().feature() >= 21;
    }

    /** {@code Thread.ofVirtual().factory()} */
    public static ThreadFactory factory() {
        try {
            var builder = Thread.class.getMethod("ofVirtual").invoke(null);
            return (ThreadFactory) Class.forName("java.lang.Thread$Builder")
                    .getMethod("factory")
                    .invoke(builder);
        } catch (ReflectiveOperationException e) {
            throw new UnsupportedOperationException("Virtual threads need JDK 21 or newer", e);
        }
    }
}
