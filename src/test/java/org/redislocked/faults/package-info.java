/**
 * The lock under faults: what breaks, and what the promise is then. Everything here is seen from outside, through the
 * public API and what Redis itself says; the faults are real ones, made by a proxy, by signals or by Redis' own commands.
 */
package org.redislocked.faults;
