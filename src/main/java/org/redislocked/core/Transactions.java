package org.redislocked.core;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The transactions of the platform, as far as locks have to know of them. A port: {@code cdi} implements it.
 *
 * <p>All methods are about the transaction of the current thread.
 */
public interface Transactions {

    /** For where there are none. */
    Transactions NONE = new Transactions() {
        @Override
        public @Nullable JoinedTransaction joined() {
            return null;
        }

        @Override
        public @Nullable JoinedTransaction join(Supplier<JoinedTransaction> newcomer) {
            return null;
        }

        @Override
        public void setRollbackOnly() {
            throw new IllegalStateException("There are no transactions");
        }
    };

    /** {@return what the transaction has joined; null if there is no transaction, or it has joined nothing} */
    @Nullable
    JoinedTransaction joined();

    /**
     * Has the transaction, if it is active and not marked for rollback, tell of its end: once, however often it is asked.
     *
     * @param newcomer makes what is to be told, if the transaction has joined nothing yet
     * @return who is told; null if there is no such transaction
     * @throws IllegalStateException if the platform refuses
     */
    @Nullable
    JoinedTransaction join(Supplier<JoinedTransaction> newcomer);

    /**
     * Lets the transaction end in no other way than by a rollback.
     *
     * @throws IllegalStateException if there is none
     */
    void setRollbackOnly();
}
