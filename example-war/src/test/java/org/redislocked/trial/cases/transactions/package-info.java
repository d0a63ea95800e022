/** Locks and transactions: cases that run inside the servers, and the beans that they call. */
package org.redislocked.trial.cases.transactions;
