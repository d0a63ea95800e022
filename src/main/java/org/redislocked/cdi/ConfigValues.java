package org.redislocked.cdi;

import java.util.NoSuchElementException;
import java.util.Optional;

/** Where the values of the configuration come from: MicroProfile Config, or where that is absent the system. */
interface ConfigValues {

    /**
     * {@return the value of the key; the empty string where it is set to nothing}
     *
     * @throws NoSuchElementException if it is set to an expression that cannot be resolved; the message begins with a
     *     verb, for "its value" to be put in front
     */
    Optional<String> get(String key);

    /** {@return the keys that are known to be set} */
    Iterable<String> keys();

    /** {@return the values of the application that is being deployed} */
    static ConfigValues ofApplication() {
        try {
            return MicroProfileValues.of(applicationLoader()).orElseGet(SystemValues::new);
        } catch (NoClassDefFoundError absent) {
            return new SystemValues();
        }
    }

    /**
     * The loader whose configuration is the application's. The context loader, if it sees this very library: then it
     * is ours or one below it, as with a jar that a server shares. Else our own: WildFly deploys a WAR in an EAR with
     * the loader of the EAR, which does not see the WAR's properties.
     */
    private static ClassLoader applicationLoader() {
        ClassLoader own = ConfigValues.class.getClassLoader();
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        try {
            boolean seesUs = context != null
                    && Class.forName(ConfigValues.class.getName(), false, context) == ConfigValues.class;
            return seesUs ? context : own;
        } catch (ClassNotFoundException | LinkageError e) {
            return own;
        }
    }
}
