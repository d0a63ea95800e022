/**
 * A WAR that runs tests inside a server. {@code TrialIT} builds it of this package and of {@link
 * org.redislocked.trial.cases}, deploys it and shows each case as a test.
 */
package org.redislocked.trial;
