package org.redislocked.core;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A transaction that keeps locks until its end: it has one entry of each hold that it has joined, however many calls
 * entered in it.
 *
 * <p>The end may come on another thread, and while a call still runs, as when the platform's reaper ends what took too
 * long. Then the call has its own entry, and the last of both releases.
 */
public final class JoinedTransaction {

    private static final Logger LOG = System.getLogger("org.redislocked");

    private record Joined(ActiveHold hold, boolean renewed) {}

    private final LockAccess access;
    private final HoldKeeper keeper;
    private final Object mutex = new Object();

    // guarded by mutex, which is never held during I/O
    private final Map<String, Joined> byLockName = new LinkedHashMap<>();
    private @Nullable Thread lastJoiner;
    private boolean over;

    JoinedTransaction(LockAccess access, HoldKeeper keeper) {
        this.access = access;
        this.keeper = keeper;
    }

    /**
     * Keeps the hold, which the current thread has entered, until the end of the transaction.
     *
     * @param renewed whether its lease is to be renewed until then
     * @throws IllegalStateException if the transaction is over
     */
    void join(ActiveHold hold, boolean renewed) {
        String lockName = hold.lockName();
        synchronized (mutex) {
            if (over) {
                throw LockErrors.transactionOver(lockName);
            }
            lastJoiner = Thread.currentThread();
            Joined known = byLockName.get(lockName);
            if (known != null && known.hold != hold) { // there can be another only if it was lost
                throw LockErrors.lost(known.hold);
            }
            if (known == null) {
                hold.enterLasting(renewed);
            } else if (renewed && !known.renewed) {
                hold.renewLasting();
            } else {
                return;
            }
            if (byLockName.put(lockName, new Joined(hold, renewed)) == null && byLockName.size() == 1) {
                access.transactionJoined();
            }
        }
    }

    /** {@return the hold that it keeps of the lock, valid or lost} */
    @Nullable
    ActiveHold find(String lockName) {
        synchronized (mutex) {
            Joined known = byLockName.get(lockName);
            return known == null ? null : known.hold;
        }
    }

    /**
     * To be called before the transaction commits.
     *
     * @throws org.redislocked.RedisLockLostException if a hold was lost, or will perhaps be before the commit is done: the
     *     transaction must not commit then
     */
    public void beforeCompletion() {
        kept().forEach(joined -> keeper.requireHeldForCommit(joined.hold));
    }

    /** To be called when the transaction has ended, in whatever way and on whatever thread. It does not throw. */
    public void afterCompletion() {
        List<Joined> left;
        boolean sameThread;
        synchronized (mutex) {
            if (over) {
                return;
            }
            over = true;
            left = kept();
            sameThread = Thread.currentThread() == lastJoiner;
            byLockName.clear();
        }
        if (!left.isEmpty()) {
            access.transactionEnded();
        }
        Collections.reverse(left);
        for (Joined joined : left) {
            try {
                // The platform's own thread, which ends what took too long, has others to look after.
                access.leaveLasting(joined.hold, joined.renewed, !sameThread);
            } catch (RuntimeException e) { // nobody could do anything about it here, and the news are told elsewhere
                LOG.log(Level.DEBUG, "At the end of a transaction: {0}", e.toString());
            }
        }
    }

    private List<Joined> kept() {
        synchronized (mutex) {
            return new ArrayList<>(byLockName.values());
        }
    }
}
