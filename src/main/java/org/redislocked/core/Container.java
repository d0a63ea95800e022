package org.redislocked.core;

import java.io.NotSerializableException;

/** What a container has that the engine can use, beyond a scheduler. All of it may be missing. */
public interface Container {

    /** For where there is no container. */
    Container NONE = new Container() {};

    /** {@return its transactions} */
    default Transactions transactions() {
        return Transactions.NONE;
    }

    /** {@return who watches holds that are taken by hand} */
    default LeakGuard leakGuard() {
        return LeakGuard.NONE;
    }

    /**
     * {@return what a lock is serialized as, to be found again by}
     *
     * @param joiningTransaction whether it is the view of that name
     * @throws NotSerializableException if it could not be found again
     */
    default Object reference(String lockName, boolean joiningTransaction) throws NotSerializableException {
        throw new NotSerializableException("Lock '" + lockName
                + "' cannot be serialized: its client was made by code, which has to be asked for it again");
    }
}
