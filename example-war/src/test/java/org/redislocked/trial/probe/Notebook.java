package org.redislocked.trial.probe;

import jakarta.enterprise.concurrent.ManagedScheduledExecutorService;
import jakarta.servlet.ServletContextEvent;
import jakarta.servlet.ServletContextListener;
import jakarta.servlet.annotation.WebListener;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.StandardMBean;
import javax.naming.InitialContext;
import javax.naming.NamingException;

/** Keeps what others tell while the probe is deployed. */
@WebListener
public class Notebook implements ServletContextListener, Notes {

    static final List<String> WRITTEN = new CopyOnWriteArrayList<>();
    static final List<Watched> WATCHED = new CopyOnWriteArrayList<>();

    record Watched(String what, WeakReference<ClassLoader> loader) {}

    @Override
    public void contextInitialized(ServletContextEvent event) {
        try {
            MBeanServer server = ManagementFactory.getPlatformMBeanServer();
            server.registerMBean(new StandardMBean(this, Notes.class), new ObjectName("trial:type=Notebook"));
            beFirstToSchedule();
        } catch (JMException | NamingException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Payara's scheduler creates its one thread for whoever is the first, and the thread keeps the class loader of that
     * application in its inherited access control context for as long as the server runs. So this is to be us.
     */
    private static void beFirstToSchedule() throws NamingException {
        ManagedScheduledExecutorService scheduler =
                InitialContext.doLookup("java:comp/DefaultManagedScheduledExecutorService");
        scheduler.schedule(() -> {}, 0, TimeUnit.SECONDS);
    }

    @Override
    public void contextDestroyed(ServletContextEvent event) {
        try {
            ManagementFactory.getPlatformMBeanServer().unregisterMBean(new ObjectName("trial:type=Notebook"));
        } catch (JMException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void write(String text) {
        WRITTEN.add(System.currentTimeMillis() + " " + text);
    }

    @Override
    public void watch(String what, ClassLoader loader) {
        WATCHED.add(new Watched(what + ' ' + WATCHED.size(), new WeakReference<>(loader)));
    }
}
