package org.redislocked.trial.cases.transactions;

import jakarta.annotation.Priority;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;
import java.io.Serializable;

/** Next to {@code @Transactional}, on its outer side. */
@Noted
@Interceptor
@Priority(Interceptor.Priority.PLATFORM_BEFORE + 199)
public class NotingInterceptor implements Serializable {

    private static final long serialVersionUID = 1L;

    @Inject
    Notes notes;

    @Inject
    Transactions transactions;

    @AroundInvoke
    Object note(InvocationContext call) throws Exception {
        notes.add("before: " + look());
        try {
            return call.proceed();
        } finally {
            notes.add("after: " + look());
        }
    }

    private String look() {
        return "entered " + transactions.count(LockedBean.LOCK) + ", "
                + (transactions.isRunning() ? "transaction" : "no transaction");
    }
}
