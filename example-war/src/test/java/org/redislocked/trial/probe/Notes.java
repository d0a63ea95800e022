package org.redislocked.trial.probe;

/** What other applications in the server tell, through JMX. */
public interface Notes {

    /** Notes what happened. */
    void write(String text);

    /** Keeps an eye on a class loader without holding it. */
    void watch(String what, ClassLoader loader);
}
