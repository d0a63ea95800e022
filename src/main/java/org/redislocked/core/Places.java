package org.redislocked.core;

import java.lang.StackWalker.StackFrame;
import java.util.Set;

/** Where code of the application has called us. */
final class Places {

    /** The way from a call of the application to here. */
    private static final Set<String> OWN = Set.of(
            Places.class.getName(),
            LeakWatch.class.getName(),
            LockEntry.class.getName(),
            LockEngine.class.getName(),
            LockHandle.class.getName());

    private Places() {}

    /** {@return class, method and line, as in a stack trace} */
    static String ofCaller() {
        return StackWalker.getInstance()
                .walk(frames -> frames.filter(frame -> !OWN.contains(frame.getClassName()))
                        .findFirst()
                        .map(StackFrame::toString)
                        .orElse("an unknown place"));
    }
}
