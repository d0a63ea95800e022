package org.redislocked.trial.cases;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.SessionScoped;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.io.Serializable;
import java.util.Collections;
import org.redislocked.LockName;
import org.redislocked.RedisLocked;
import org.redislocked.ReentrantRedisLock;
import org.redislocked.trial.Here;
import org.redislocked.trial.InContainer;
import org.redislocked.trial.NotApplicable;

/** Beans that are written to a disk and read again find their locks, and their interceptor. */
@ApplicationScoped
public class PassivationCases {

    @Inject
    Here here;

    @Inject
    ThisNode thisNode;

    @Inject
    Basket basket;

    @Inject
    Instance<StatefulBean> stateful;

    @Inject
    HttpServletRequest request;

    /** A bean of a session, with locks in its fields. */
    @SessionScoped
    public static class Basket implements Serializable {

        private static final long serialVersionUID = 1L;

        @Inject
        Here here;

        @Inject
        @LockName("passivation-injected")
        @SuppressWarnings("serial") // the lock is serializable, although its interface does not say so
        ReentrantRedisLock injected;

        @SuppressWarnings("serial")
        private ReentrantRedisLock joining;

        private int calls;

        /** Not if it was read from a disk. */
        private final transient boolean fresh = isNew();

        /** {@return the hold counts in Redis of the lock of the method and of those in the fields, and the calls so far} */
        @RedisLocked("passivation-declared")
        public String work() {
            if (joining == null) {
                joining = injected.joiningTransaction();
            }
            injected.lock();
            joining.lock();
            try {
                calls++;
                return here.countInRedis("passivation-declared") + " " + here.countInRedis("passivation-injected") + " "
                        + calls + (fresh ? "" : " after passivation");
            } finally {
                joining.unlock();
                injected.unlock();
            }
        }

        private static boolean isNew() { // else the compiler would take it for a constant
            return true;
        }
    }

    /** In a request of the session. */
    public String workOfBasket() {
        return basket.work();
    }

    /** In a request of the session: its beans go where a server would write them, and come back. */
    public void passivateSession() throws IOException, ClassNotFoundException {
        HttpSession session = request.getSession(false);
        for (String name : Collections.list(session.getAttributeNames())) {
            session.setAttribute(name, throughBytes(session.getAttribute(name)));
        }
    }

    @InContainer
    public void sessionScoped_passivated_hasItsLocksAgain() throws Exception {
        ThisNode.Caller caller = thisNode.caller();
        assertEquals("1 2 1", caller.run(PassivationCases.class, "workOfBasket"));
        caller.run(PassivationCases.class, "passivateSession");
        assertEquals("1 2 2 after passivation", caller.run(PassivationCases.class, "workOfBasket"));
        assertEquals(0, here.countInRedis("passivation-injected"));
    }

    @InContainer
    public void stateful_passivatedByTheServer_hasItsLocksAgain() throws InterruptedException {
        switch (here.server()) {
            case "liberty" ->
                throw new NotApplicable("Open Liberty does so under pressure only: not with room for 1 bean,"
                        + " 21 of them, and a clean-up every second");
            case "payara" -> throw new NotApplicable("Payara writes idle beans by the 32, not these few");
            default -> {}
        }
        StatefulBean bean = stateful.get();
        assertEquals(1, bean.work());
        assertEquals(2, bean.useLocks());
        StatefulBean other = stateful.get();
        int activated = 0;
        for (int i = 0; i < 4 && activated == 0; i++) {
            other.work(); // there is room for one
            Thread.sleep(2_500);
            activated = bean.timesActivated();
        }
        assertTrue(activated > 0, "not passivated");
        assertEquals(1, bean.work());
        assertEquals(2, bean.useLocks());
        assertEquals(0, here.countInRedis("ejb-stateful-injected"));
        other.end();
        bean.end();
    }

    @InContainer
    public void injectedLock_throughBytes_isTheSameLock() throws Exception {
        StatefulBean bean = stateful.get();
        ReentrantRedisLock injected = throughBytes(bean.injected());
        ReentrantRedisLock joining = throughBytes(bean.joining());
        assertEquals(bean.injected(), injected);
        assertEquals(bean.joining(), joining);
        assertNotSame(bean.injected(), injected);
        assertEquals(2, bean.useLocks());
        bean.end();
    }

    /** What a server does with beans that are not used for a while. */
    private static <T> T throughBytes(T object) throws IOException, ClassNotFoundException {
        var bytes = new ByteArrayOutputStream();
        try (var out = new ObjectOutputStream(bytes)) {
            out.writeObject(object);
        }
        try (var in = new Reader(
                new ByteArrayInputStream(bytes.toByteArray()), object.getClass().getClassLoader())) {
            @SuppressWarnings("unchecked")
            T read = (T) in.readObject();
            return read;
        }
    }

    /** Finds classes as servers do it: their own and those of the application. */
    private static final class Reader extends ObjectInputStream {

        private final ClassLoader server;

        Reader(InputStream in, ClassLoader server) throws IOException {
            super(in);
            this.server = server;
        }

        @Override
        protected Class<?> resolveClass(ObjectStreamClass type) throws IOException, ClassNotFoundException {
            try {
                return Class.forName(
                        type.getName(), false, Thread.currentThread().getContextClassLoader());
            } catch (ClassNotFoundException e) {
                return Class.forName(type.getName(), false, server);
            }
        }
    }
}
