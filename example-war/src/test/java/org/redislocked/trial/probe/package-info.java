/** An application that stays deployed and sees what others leave behind. */
package org.redislocked.trial.probe;
