package org.redislocked.core;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
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

    private final TransactionEntries entries;
    private final LockExit exit;
    private final HoldKeeper keeper;
    private final Object mutex = new Object();

    // guarded by mutex, which is never held during I/O
    private final Map<String, Joined> byLockName = new LinkedHashMap<>();
    private @Nullable Thread worker; // who joined last, or commits
    private boolean over;

    JoinedTransaction(TransactionEntries entries, LockExit exit, HoldKeeper keeper) {
        this.entries = entries;
        this.exit = exit;
        this.keeper = keeper;
    }

    /**
     * Keeps the hold, which the current thread has entered, until the end of the transaction.
     *
     * @param renewed whether its lease is to be renewed until then
     * @return false if the transaction is over
     */
    boolean join(ActiveHold hold, boolean renewed) {
        String lockName = hold.lockName();
        synchronized (mutex) {
            if (over) {
                return false;
            }
            worker = Thread.currentThread();
            Joined known = byLockName.get(lockName);
            if (known != null && known.hold != hold) { // there can be another only if it was lost
                throw LockErrors.lost(known.hold);
            }
            if (known == null) {
                hold.enterTransaction(renewed);
            } else if (renewed && !known.renewed) {
                hold.renewLasting();
            } else {
                return true;
            }
            if (byLockName.put(lockName, new Joined(hold, renewed)) == null && byLockName.size() == 1) {
                entries.begun();
            }
            return true;
        }
    }

    /** {@return the hold that it keeps of the lock, valid or lost} */
    @Nullable
    ActiveHold find(String lockName) {
        synchronized (mutex) {
            Joined known = byLockName.get(lockName);
            return known == null || over ? null : known.hold;
        }
    }

    /**
     * To be called before the transaction commits.
     *
     * @throws org.redislocked.RedisLockLostException if a hold was lost, or will perhaps be before the commit is done: the
     *     transaction must not commit then
     */
    public void beforeCompletion() {
        synchronized (mutex) {
            worker = Thread.currentThread();
        }
        keeper.requireHeldForCommit(kept().stream().map(joined -> joined.hold).toList());
    }

    /** To be called when the transaction has ended, in whatever way and on whatever thread. It does not throw. */
    public void afterCompletion() {
        List<Joined> left;
        boolean byWorker;
        synchronized (mutex) {
            if (over) {
                return;
            }
            over = true;
            left = kept();
            byWorker = Thread.currentThread() == worker;
        }
        if (!left.isEmpty()) {
            entries.ended();
        }
        for (Joined joined : left) {
            try {
                // The platform's own thread, which ends what took too long, has others to look after.
                exit.leave(joined.hold, joined.hold.leaveTransaction(joined.renewed), !byWorker);
            } catch (Throwable t) { // nobody could do anything about it here, and the next is to be left, too
                LOG.log(Level.DEBUG, "At the end of a transaction: {0}", t.toString());
            }
        }
    }

    private List<Joined> kept() {
        synchronized (mutex) {
            return new ArrayList<>(byLockName.values());
        }
    }
}
