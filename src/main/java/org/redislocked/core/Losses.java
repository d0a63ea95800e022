package org.redislocked.core;

/** Ends holds that this client can no longer be certain of. Any thread may call it, and only the first call counts. */
interface Losses {

    /** @param reason what happened, as the end of a sentence that begins with the lock's name */
    void lose(ActiveHold hold, String reason);

    /** Loses the hold if its deadline has passed. Whoever notices has to say it. */
    void loseIfDue(ActiveHold hold);
}
