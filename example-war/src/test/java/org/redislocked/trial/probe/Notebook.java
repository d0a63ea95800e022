package org.redislocked.trial.probe;

import jakarta.servlet.ServletContextEvent;
import jakarta.servlet.ServletContextListener;
import jakarta.servlet.annotation.WebListener;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.StandardMBean;

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
        } catch (JMException e) {
            throw new IllegalStateException(e);
        }
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
