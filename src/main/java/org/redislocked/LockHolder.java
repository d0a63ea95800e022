package org.redislocked;

import java.time.Duration;

/**
 * Who has a lock, as Redis saw it a moment ago: for people and logs, not for decisions.
 *
 * @param grantId the client's name, its random part, the thread's id and a sequence number
 * @param holdCount how often the owner had entered the lock
 * @param remainingLease until Redis frees the lock unless the lease is renewed; negative where the key has no time to
 *     live, which this library never does
 * @param heldFor since the lock was granted, by the clock of Redis; zero where it is not known
 */
public record LockHolder(String grantId, long holdCount, Duration remainingLease, Duration heldFor) {}
