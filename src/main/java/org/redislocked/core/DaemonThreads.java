package org.redislocked.core;

import java.security.AccessControlContext;
import java.security.AccessController;
import java.security.PrivilegedAction;
import java.security.ProtectionDomain;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The library's own threads: plain daemons that inherit nothing from the thread that happens to start them, neither
 * identity nor thread-locals nor the context class loader, and that need no JNDI, CDI or transactions.
 */
@SuppressWarnings(
        "removal") // the JDK goes on to hand the identity of the caller over to new threads until it is removed
public final class DaemonThreads {

    /** Idle threads end after this time, so an application that holds no lock has none. */
    private static final Duration IDLE = Duration.ofSeconds(10);

    private static final AccessControlContext NOBODY = new AccessControlContext(new ProtectionDomain[0]);

    private DaemonThreads() {}

    public static Thread create(String name, Runnable task) {
        PrivilegedAction<Thread> creation = () -> new Thread(null, task, name, 0, false);
        Thread thread = AccessController.doPrivileged(creation, NOBODY);
        thread.setDaemon(true);
        thread.setContextClassLoader(DaemonThreads.class.getClassLoader());
        return thread;
    }

    /** {@return an executor of one thread; after its shutdown it does what it was given before, and ignores the rest} */
    static ThreadPoolExecutor executor(String name) {
        var executor = new ThreadPoolExecutor(
                1,
                1,
                IDLE.toSeconds(),
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                task -> create(name, task),
                new ThreadPoolExecutor.DiscardPolicy());
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    /** {@return a scheduler of one thread; after its shutdown it ignores what it is given} */
    static ScheduledThreadPoolExecutor scheduler(String name) {
        var scheduler =
                new ScheduledThreadPoolExecutor(1, task -> create(name, task), new ThreadPoolExecutor.DiscardPolicy());
        scheduler.setKeepAliveTime(IDLE.toSeconds(), TimeUnit.SECONDS);
        scheduler.allowCoreThreadTimeOut(true);
        scheduler.setRemoveOnCancelPolicy(true);
        scheduler.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        return scheduler;
    }
}
