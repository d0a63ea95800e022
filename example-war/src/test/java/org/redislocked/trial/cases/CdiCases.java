package org.redislocked.trial.cases;

import static java.lang.annotation.ElementType.TYPE;
import static java.lang.annotation.RetentionPolicy.RUNTIME;
import static org.junit.jupiter.api.Assertions.assertEquals;

import jakarta.annotation.Priority;
import jakarta.decorator.Decorator;
import jakarta.decorator.Delegate;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.ConversationScoped;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.context.RequestScoped;
import jakarta.enterprise.context.SessionScoped;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Stereotype;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.interceptor.Interceptor;
import java.io.Serializable;
import java.lang.annotation.Retention;
import java.lang.annotation.Target;
import java.util.function.IntSupplier;
import org.redislocked.RedisLocked;
import org.redislocked.trial.Here;
import org.redislocked.trial.InContainer;

/** Beans of every scope, and every way by which a method may have the annotation. */
@ApplicationScoped
public class CdiCases {

    @Inject
    Here here;

    @Inject
    OfDependent ofDependent;

    @Inject
    OfRequest ofRequest;

    @Inject
    OfSession ofSession;

    @Inject
    OfConversation ofConversation;

    @Inject
    OfApplication ofApplication;

    @Inject
    OfSingleton ofSingleton;

    @Inject
    ByStereotype byStereotype;

    @Inject
    ByInheritance byInheritance;

    @Inject
    @Any
    Desk<String> desk;

    @Inject
    Clerk clerk;

    @Inject
    Decorated decorated;

    private void assertLocked(String lock, IntSupplier call) {
        assertEquals(1, call.getAsInt());
        assertEquals(0, here.countInRedis(lock));
    }

    /** Looks into Redis while its method runs. */
    static class Work implements Serializable {

        private static final long serialVersionUID = 1L;

        @Inject
        Here here;

        int count(String lock) {
            return here.countInRedis(lock);
        }
    }

    /** A scope. */
    @Dependent
    public static class OfDependent extends Work {

        private static final long serialVersionUID = 1L;

        /** {@return the hold count} */
        @RedisLocked("cdi-dependent")
        public int work() {
            return count("cdi-dependent");
        }
    }

    @InContainer
    public void dependent_called_isLocked() {
        assertLocked("cdi-dependent", ofDependent::work);
    }

    /** A scope. */
    @RequestScoped
    public static class OfRequest extends Work {

        private static final long serialVersionUID = 1L;

        /** {@return the hold count} */
        @RedisLocked("cdi-request")
        public int work() {
            return count("cdi-request");
        }
    }

    @InContainer
    public void requestScoped_called_isLocked() {
        assertLocked("cdi-request", ofRequest::work);
    }

    /** A scope, of which the container demands that interceptors can be passivated, too. */
    @SessionScoped
    public static class OfSession extends Work {

        private static final long serialVersionUID = 1L;

        /** {@return the hold count} */
        @RedisLocked("cdi-session")
        public int work() {
            return count("cdi-session");
        }
    }

    @InContainer
    public void sessionScoped_called_isLocked() {
        assertLocked("cdi-session", ofSession::work);
    }

    /** As {@link OfSession}. */
    @ConversationScoped
    public static class OfConversation extends Work {

        private static final long serialVersionUID = 1L;

        /** {@return the hold count} */
        @RedisLocked("cdi-conversation")
        public int work() {
            return count("cdi-conversation");
        }
    }

    @InContainer
    public void conversationScoped_called_isLocked() {
        assertLocked("cdi-conversation", ofConversation::work);
    }

    /** A scope. */
    @ApplicationScoped
    public static class OfApplication extends Work {

        private static final long serialVersionUID = 1L;

        /** {@return the hold count} */
        @RedisLocked("cdi-application")
        public int work() {
            return count("cdi-application");
        }
    }

    @InContainer
    public void applicationScoped_called_isLocked() {
        assertLocked("cdi-application", ofApplication::work);
    }

    /** Makes a bean of a class whose scope does not. */
    @Stereotype
    @Target(TYPE)
    @Retention(RUNTIME)
    public @interface Discovered {}

    /** A pseudo-scope: there is no proxy. */
    @Discovered
    @Singleton
    public static class OfSingleton extends Work {

        private static final long serialVersionUID = 1L;

        /** {@return the hold count} */
        @RedisLocked("cdi-singleton")
        public int work() {
            return count("cdi-singleton");
        }
    }

    @InContainer
    public void singleton_called_isLocked() {
        assertLocked("cdi-singleton", ofSingleton::work);
    }

    /** Brings the lock. */
    @Stereotype
    @ApplicationScoped
    @RedisLocked("cdi-stereotype")
    @Target(TYPE)
    @Retention(RUNTIME)
    public @interface Exclusive {}

    /** No annotation but the stereotype. */
    @Exclusive
    public static class ByStereotype extends Work {

        private static final long serialVersionUID = 1L;

        /** {@return the hold count} */
        public int work() {
            return count("cdi-stereotype");
        }
    }

    @InContainer
    public void stereotype_withTheAnnotation_locksTheMethods() {
        assertLocked("cdi-stereotype", byStereotype::work);
    }

    /** No bean itself. */
    @RedisLocked("cdi-inherited")
    static class Ancestor extends Work {

        private static final long serialVersionUID = 1L;

        /** {@return the hold count} */
        public int inherited() {
            return count("cdi-inherited");
        }
    }

    /** No annotation but that of the superclass. */
    @ApplicationScoped
    public static class ByInheritance extends Ancestor {

        private static final long serialVersionUID = 1L;

        /** {@return the hold count} */
        public int own() {
            return count("cdi-inherited");
        }
    }

    @InContainer
    public void classAnnotation_ofSuperclass_locksInheritedAndOwnMethods() {
        assertLocked("cdi-inherited", byInheritance::inherited);
        assertLocked("cdi-inherited", byInheritance::own);
    }

    /** Generic, so that the bean gets a bridge method. */
    public interface Desk<T> {
        /** {@return the hold count} */
        Number serve(T customer);
    }

    /** As {@link Desk}, for a class. */
    abstract static class Worker<T> extends Work {

        private static final long serialVersionUID = 1L;

        /** {@return the hold count} */
        public abstract Number work(T on);
    }

    /** Narrows parameters and results. */
    @ApplicationScoped
    public static class Clerk extends Worker<String> implements Desk<String> {

        private static final long serialVersionUID = 1L;

        @Override
        @RedisLocked("cdi-bridge")
        public Integer serve(String customer) {
            return count("cdi-bridge");
        }

        @Override
        @RedisLocked("cdi-bridge")
        public Integer work(String on) {
            return count("cdi-bridge");
        }
    }

    @InContainer
    public void bridgeOfGenericInterface_called_isLockedOnce() {
        assertLocked("cdi-bridge", () -> desk.serve("customer").intValue());
    }

    @InContainer
    public void bridgeOfGenericSuperclass_called_isLockedOnce() {
        Worker<String> worker = clerk;
        assertLocked("cdi-bridge", () -> worker.work("papers").intValue());
    }

    /** What a decorator decorates. */
    public interface Decorated {
        /** {@return the hold count} */
        int work();
    }

    /** The bean inside the decorator. */
    @ApplicationScoped
    public static class Plain extends Work implements Decorated {

        private static final long serialVersionUID = 1L;

        @Override
        @RedisLocked("cdi-decorated")
        public int work() {
            return count("cdi-decorated");
        }
    }

    /** Decorators come after interceptors: the lock is held around this one, too. */
    @Decorator
    @Priority(Interceptor.Priority.APPLICATION)
    public static class Decoration implements Decorated {

        @Inject
        @Delegate
        Decorated delegate;

        @Inject
        Here here;

        @Override
        public int work() {
            int before = here.countInRedis("cdi-decorated");
            int inside = delegate.work();
            int after = here.countInRedis("cdi-decorated");
            return before == inside && inside == after ? 10 + inside : 1_000;
        }
    }

    @InContainer
    public void decorated_called_isLockedAroundTheDecorator() {
        assertEquals(11, decorated.work());
        assertEquals(0, here.countInRedis("cdi-decorated"));
    }
}
