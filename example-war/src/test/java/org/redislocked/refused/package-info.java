/** Beans that the library refuses at deployment; each goes into a WAR of its own. */
package org.redislocked.refused;
