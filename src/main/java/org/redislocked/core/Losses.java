package org.redislocked.core;

/** Ends holds that this client can no longer be certain of. Any thread may call it, and only the first call counts. */
interface Losses {

    /**
     * Loses the hold, unless it has ended or was lost before.
     *
     * @param reason what happened, as a part of a sentence
     */
    void lose(ActiveHold hold, String reason);

    /** Loses the hold if its deadline has passed. Whoever notices has to say it. */
    void loseIfDue(ActiveHold hold);
}
