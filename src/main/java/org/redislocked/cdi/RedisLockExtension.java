package org.redislocked.cdi;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Initialized;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.spi.AfterBeanDiscovery;
import jakarta.enterprise.inject.spi.AfterDeploymentValidation;
import jakarta.enterprise.inject.spi.Bean;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.enterprise.inject.spi.BeforeBeanDiscovery;
import jakarta.enterprise.inject.spi.BeforeShutdown;
import jakarta.enterprise.inject.spi.DefinitionException;
import jakarta.enterprise.inject.spi.DeploymentException;
import jakarta.enterprise.inject.spi.Extension;
import jakarta.enterprise.inject.spi.InjectionPoint;
import jakarta.enterprise.inject.spi.ProcessAnnotatedType;
import jakarta.enterprise.inject.spi.ProcessInjectionPoint;
import jakarta.enterprise.inject.spi.ProcessManagedBean;
import jakarta.enterprise.inject.spi.ProcessSyntheticAnnotatedType;
import jakarta.enterprise.inject.spi.WithAnnotations;
import jakarta.inject.Provider;
import jakarta.interceptor.InvocationContext;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;
import org.redislocked.LockName;
import org.redislocked.RedisLocked;
import org.redislocked.RedisLocks;
import org.redislocked.ReentrantRedisLock;
import org.redislocked.redis.RedisLockClient;

/**
 * Brings the library into an application: notes what CDI discovers, checks all of it together with the configuration
 * when discovery is over, builds the client when the application is valid, and closes it at the end.
 *
 * <p>The fields are written while the container starts, by its thread, before any bean can ask.
 */
public class RedisLockExtension implements Extension {

    private static final Logger LOG = System.getLogger("org.redislocked");

    /** For tests to see, too. */
    final Discovery discovery = new Discovery();

    /** Which of us does the work: this one, unless the container loaded the extension twice and says so. */
    private RedisLockExtension working = this;

    private @Nullable Resolved resolved;
    private @Nullable LossEvents lossEvents;
    private @Nullable RedisLockClient client;

    /** What is known when discovery is over. */
    private record Resolved(
            Configuration configuration,
            RedisLockClient.Builder builder,
            SchedulerLookup scheduler,
            LockedMethods methods,
            InjectedLocks injectedLocks) {}

    void register(@Observes BeforeBeanDiscovery event, BeanManager manager) {
        event.addInterceptorBinding(RedisLocked.class);
        event.addQualifier(LockName.class);
        // not by the shorter configurator, whose types Weld announces without their source
        for (Class<?> type : new Class<?>[] {RedisLockedInterceptor.class, LockBeans.class, RequestHolds.class}) {
            event.addAnnotatedType(manager.createAnnotatedType(type), type.getName());
        }
    }

    /** GlassFish may load an extension twice, of which the container takes each type once: who brought it, works. */
    void noteWhoWorks(@Observes ProcessSyntheticAnnotatedType<LockBeans> event) {
        working = (RedisLockExtension) event.getSource();
    }

    <T> void noteAnnotatedType(@Observes @WithAnnotations(RedisLocked.class) ProcessAnnotatedType<T> event) {
        discovery.annotated(event.getAnnotatedType());
    }

    /** Session beans as well: their event extends this one. */
    <T> void noteBean(@Observes ProcessManagedBean<T> event) {
        discovery.bean(event.getAnnotatedBeanClass());
    }

    <T> void noteLock(@Observes ProcessInjectionPoint<T, ReentrantRedisLock> event) {
        discovery.lock(event.getInjectionPoint());
    }

    /** Unlike an {@code Instance}, it cannot get the name later. */
    <T> void noteProvider(@Observes ProcessInjectionPoint<T, Provider<ReentrantRedisLock>> event) {
        discovery.lock(event.getInjectionPoint());
    }

    <T> void noteLookup(@Observes ProcessInjectionPoint<T, Instance<ReentrantRedisLock>> event) {
        discovery.lookup(event.getInjectionPoint());
    }

    /** Now, not later: what the container finds wrong itself, it tells before it validates. */
    void check(@Observes AfterBeanDiscovery event, BeanManager manager) {
        if (working != this) {
            discovery.forget();
            return;
        }
        Problems problems = new Problems();
        ConfigValues values = ConfigValues.ofApplication();
        LockNames names = new LockNames(values);
        Configuration configuration = new Configuration(values);
        LockedMethods methods = new LockedMethods(manager, names);
        InjectedLocks injectedLocks = new InjectedLocks(names);
        configuration.checkKeys(problems);
        resolved = new Resolved(
                configuration,
                configuration.builder(problems),
                configuration.scheduler(problems),
                methods,
                injectedLocks);
        discovery.readMethods(methods, problems);
        discovery.checkInjectionPoints(injectedLocks, problems);
        problems.report().map(DefinitionException::new).ifPresent(event::addDefinitionError);
    }

    /** The application is valid: its locks may start, and what was noted may go. */
    void start(@Observes AfterDeploymentValidation event, BeanManager manager) {
        if (resolved == null) {
            return;
        }
        discovery.warnOfIdleAnnotations();
        Bean<?> bean = manager.resolve(manager.getBeans(RedisLocks.class));
        if (bean != null && bean.getBeanClass() != LockBeans.class) {
            announce("locks by " + bean.getBeanClass().getName());
        } else {
            startClient(event, resolved, manager);
        }
        discovery.forget();
    }

    /** Builds the client, which connects when the first lock is wanted: Redis need not be there yet. */
    private void startClient(AfterDeploymentValidation event, Resolved application, BeanManager manager) {
        SchedulerLookup scheduler = application.scheduler;
        lossEvents = new LossEvents(manager);
        try {
            client = application
                    .builder
                    .scheduler(scheduler)
                    .onLost(lossEvents)
                    .container(new ApplicationContainer(manager))
                    .build();
            announce(client + ", renewal by " + scheduler);
            application.configuration.warnOfMemory();
        } catch (IllegalArgumentException e) {
            Problems problems = new Problems();
            problems.add(Configuration.withPrefix(e));
            event.addDeploymentProblem(new DeploymentException(problems.report().orElseThrow()));
        }
    }

    /** Once per application, WAR or EAR: now it is known to run, and this thread has nobody's identity yet. */
    void begin(@Observes @Initialized(ApplicationScoped.class) Object event) {
        if (client != null && lossEvents != null) {
            client.beginRenewal();
            lossEvents.takeContext();
        }
    }

    void stop(@Observes BeforeShutdown event) {
        if (client != null) {
            client.close();
        }
    }

    /** {@return the client} */
    RedisLocks client() {
        RedisLockClient built = working.client;
        if (built == null) {
            throw new IllegalStateException("No lock can be had before the application is validated, nor from the"
                    + " library's own RedisLocks where an alternative replaces it");
        }
        return built;
    }

    /** {@return what a call asks for} */
    LockedMethod lockedMethod(InvocationContext call) {
        return resolved().methods.of(call);
    }

    /** {@return the name of a lock that is injected or looked up} */
    String lockName(InjectionPoint point) {
        return resolved().injectedLocks.name(point);
    }

    private Resolved resolved() {
        Resolved known = working.resolved;
        if (known == null) {
            throw new IllegalStateException("No lock can be had before CDI has discovered the beans");
        }
        return known;
    }

    private void announce(String how) {
        String version = RedisLockExtension.class.getPackage().getImplementationVersion();
        LOG.log(
                Level.INFO,
                "redis-locked " + (version == null ? "(unreleased)" : version) + ": " + how + "; locked methods: "
                        + resolved().methods.size() + ", injected locks: " + discovery.injectionPoints());
    }
}
