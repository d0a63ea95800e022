/**
 * What breaks, and what the lock does then: whole clients, through the public API, against real Redis processes and JVMs.
 *
 * <p>The README lists the same rows in its table of faults.
 */
package org.redislocked.faults;
