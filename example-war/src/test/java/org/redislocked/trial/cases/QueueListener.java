package org.redislocked.trial.cases;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import jakarta.inject.Inject;
import jakarta.jms.JMSDestinationDefinition;
import jakarta.jms.Message;
import jakarta.jms.MessageListener;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.redislocked.RedisLocked;
import org.redislocked.trial.Here;

/** A message-driven bean. */
@JMSDestinationDefinition(
        name = QueueListener.QUEUE,
        interfaceName = "jakarta.jms.Queue",
        destinationName = "Default.Queue") // one that Open Liberty has
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "destinationLookup", propertyValue = QueueListener.QUEUE),
            @ActivationConfigProperty(propertyName = "destinationType", propertyValue = "jakarta.jms.Queue")
        })
public class QueueListener implements MessageListener {

    static final String QUEUE = "java:app/jms/trial";

    /** What the listener saw in Redis at each message. */
    static final BlockingQueue<Integer> COUNTS = new LinkedBlockingQueue<>();

    @Inject
    Here here;

    @Override
    @RedisLocked("ejb-message-driven")
    public void onMessage(Message message) {
        COUNTS.add(here.countInRedis("ejb-message-driven"));
    }
}
