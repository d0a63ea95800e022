package org.redislocked.history;

import java.time.Duration;

/**
 * What a round promises, given its settings and faults.
 *
 * @param exclusive whether nobody else has a lock during a hold: always, unless Redis lost its data
 * @param longestLease that a workload asks for
 * @param operation how long one call to Redis may take, as configured: pool wait, connect and command time-out
 * @param blur for how long a process or Redis may have been suspended at most, and what the machine may add
 * @param freeUnnoticed for how long a lock may be free while somebody waits for it
 */
record Bounds(boolean exclusive, Duration longestLease, Duration operation, Duration blur, Duration freeUnnoticed) {}
