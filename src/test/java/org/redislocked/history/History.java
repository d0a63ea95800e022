package org.redislocked.history;

import java.util.List;

/**
 * What happened in one round, as the workloads, the resource and Redis tell it. Times are nanoseconds of the shared
 * clock.
 *
 * @param end when all processes had ended
 * @param wrongs what a workload itself saw to be wrong
 */
record History(
        List<Ask> asks,
        List<Hold> holds,
        List<Write> writes,
        List<Refusal> refusals,
        List<Snapshot> snapshots,
        List<String> wrongs,
        long end) {

    /** A time that never came. */
    static final long NEVER = Long.MAX_VALUE;

    /**
     * A thread's wish to have a lock.
     *
     * @param until when the call returned or its process was killed; {@link #NEVER} if the thread waits for ever
     * @param limitNanos how long it may wait; {@link #NEVER} without limit
     */
    record Ask(String client, String thread, String lock, long from, long until, long limitNanos, boolean killed) {}

    /**
     * A hold, as its owner saw it.
     *
     * @param asked when the lock was asked for
     * @param from when the owner was told that it has the lock
     * @param until the end of what it was promised; {@code from} if it was promised nothing
     * @param left when its owner had left it, or its process was killed
     * @param deepest how often it was entered at most
     */
    record Hold(
            String client,
            String lock,
            String id,
            long token,
            long asked,
            long from,
            long until,
            long left,
            How how,
            int deepest) {

        /** What Redis knows it by. */
        String grant() {
            return id.substring(0, id.lastIndexOf('#'));
        }
    }

    enum How {
        RELEASED,
        LOST,
        /** Its process was killed. */
        UNKNOWN
    }

    /** A write that the resource accepted or refused, in its order. */
    record Write(String lock, String holdId, long token, boolean accepted) {}

    /** A write that was refused, and when its writer knew that. */
    record Refusal(String holdId, long token, long known) {}

    /** What Redis held at one moment between the two times. */
    record Snapshot(long from, long to, List<Entry> entries) {}

    /** @param leaseMillis the rest of it, -1 if it has no end */
    record Entry(String lock, String grant, int count, long leaseMillis) {

        boolean isOf(String client) {
            return grant.startsWith(client + "-");
        }
    }
}
