/** An application that holds and awaits a lock while it is undeployed; {@code DeploymentIT} plays with it. */
package org.redislocked.trial.lifecycle;
