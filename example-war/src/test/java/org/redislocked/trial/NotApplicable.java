package org.redislocked.trial;

import jakarta.ejb.ApplicationException;

/** Thrown by a case that cannot be on this server. */
@ApplicationException
public class NotApplicable extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** The reason is shown in the report. */
    public NotApplicable(String reason) {
        super(reason);
    }
}
