package org.redislocked.trial.cases;

import static org.junit.jupiter.api.Assertions.assertEquals;

import jakarta.annotation.Resource;
import jakarta.ejb.EJB;
import jakarta.enterprise.concurrent.ManagedExecutorService;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSContext;
import jakarta.jms.Queue;
import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import org.redislocked.trial.Here;
import org.redislocked.trial.InContainer;

/** Every kind of enterprise bean takes the lock around its methods: each of them looks into Redis meanwhile. */
@ApplicationScoped
public class EjbCases {

    private static final int THREADS = 4;

    @Inject
    Here here;

    @EJB
    StatelessBean stateless;

    @EJB
    SingletonBean singleton;

    @EJB
    ConcurrentSingletonBean concurrentSingleton;

    @EJB
    AsynchronousBean asynchronous;

    @EJB
    TimerBean timers;

    @Inject
    Instance<StatefulBean> stateful;

    @Resource
    ManagedExecutorService executor;

    @InContainer
    public void stateless_called_isLocked() {
        assertEquals(1, stateless.work());
        assertEquals(0, here.countInRedis("ejb-stateless"));
    }

    @InContainer
    public void stateful_calledTwice_isLockedEachTime() {
        StatefulBean bean = stateful.get();
        for (int i = 0; i < 2; i++) {
            assertEquals(1, bean.work());
            assertEquals(0, here.countInRedis("ejb-stateful"));
        }
        bean.end();
    }

    @InContainer
    public void singleton_called_isLocked() {
        assertEquals(1, singleton.work());
        assertEquals(0, here.countInRedis("ejb-singleton"));
    }

    @InContainer
    public void singletonOfBeanManagedConcurrency_calledByManyThreads_letsInOneByOne() throws Exception {
        Callable<Integer> call = concurrentSingleton::work;
        for (Future<Integer> count : executor.invokeAll(Collections.nCopies(2 * THREADS, call))) {
            assertEquals(1, count.get());
        }
        assertEquals(0, here.countInRedis("ejb-concurrent-singleton"));
    }

    @InContainer
    public void messageDriven_getsMessage_isLocked() throws NamingException, InterruptedException {
        ConnectionFactory factory = InitialContext.doLookup("java:comp/DefaultJMSConnectionFactory");
        Queue queue = InitialContext.doLookup(QueueListener.QUEUE);
        try (JMSContext context = factory.createContext()) {
            context.createProducer().send(queue, "work");
        }
        assertEquals(1, QueueListener.COUNTS.poll(20, TimeUnit.SECONDS));
        Soon.equal(0, () -> here.countInRedis("ejb-message-driven"));
    }

    @InContainer
    public void schedule_secondPasses_isLocked() throws Exception {
        assertEquals(1, timers.scheduled().get(20, TimeUnit.SECONDS));
        Soon.equal(0, () -> here.countInRedis("ejb-schedule"));
    }

    @InContainer
    public void timeout_ofTimerService_isLocked() throws Exception {
        assertEquals(1, timers.timeOut().get(20, TimeUnit.SECONDS));
        Soon.equal(0, () -> here.countInRedis("ejb-timeout"));
    }

    @InContainer
    public void asynchronous_withFuture_isLockedOnItsThread() throws Exception {
        assertEquals(1, asynchronous.future().get(20, TimeUnit.SECONDS));
        Soon.equal(0, () -> here.countInRedis("ejb-asynchronous-future"));
    }

    @InContainer
    public void asynchronous_withoutResult_isLockedOnItsThread() throws Exception {
        var count = new CompletableFuture<Integer>();
        asynchronous.tell(count);
        assertEquals(1, count.get(20, TimeUnit.SECONDS));
        Soon.equal(0, () -> here.countInRedis("ejb-asynchronous-void"));
    }
}
