package org.redislocked.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URL;
import java.net.URLClassLoader;
import java.security.AccessController;
import java.security.PrivilegedAction;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import javax.security.auth.Subject;
import javax.security.auth.x500.X500Principal;
import org.junit.jupiter.api.Test;

class DaemonThreadsTest {

    private static <T> T inOwnThread(Supplier<T> look) {
        var seen = new CompletableFuture<T>();
        DaemonThreads.create("own", () -> seen.complete(look.get())).start();
        return seen.join();
    }

    @Test
    @SuppressWarnings("removal") // the way in which servers give threads an identity until now
    void create_byWhoHasAnIdentity_hasNone() {
        var caller = new Subject(true, Set.of(new X500Principal("CN=caller")), Set.of(), Set.of());
        PrivilegedAction<Subject> look = () -> inOwnThread(() -> Subject.getSubject(AccessController.getContext()));
        assertThat(Subject.doAs(caller, look)).isNull();
    }

    @Test
    void create_byWhoHasThreadLocals_hasNone() {
        var inherited = new InheritableThreadLocal<String>();
        inherited.set("the caller's");
        assertThat(inOwnThread(inherited::get)).isNull();
        inherited.remove();
    }

    @Test
    void create_byWhoHasAClassLoader_hasTheLibrarys() throws Exception {
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        try (var loader = new URLClassLoader(new URL[0])) {
            Thread.currentThread().setContextClassLoader(loader);
            assertThat(inOwnThread(() -> Thread.currentThread().getContextClassLoader()))
                    .isSameAs(DaemonThreads.class.getClassLoader());
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }

    @Test
    void create_always_isADaemon() {
        assertThat(inOwnThread(() -> Thread.currentThread().isDaemon())).isTrue();
    }
}
