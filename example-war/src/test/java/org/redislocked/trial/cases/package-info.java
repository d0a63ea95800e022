/** The cases that run inside the servers; see {@link org.redislocked.trial.InContainer}. */
package org.redislocked.trial.cases;
