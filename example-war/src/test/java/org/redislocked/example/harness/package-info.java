/** Starts real servers with what they shall run, for the demonstration and for the tests. */
package org.redislocked.example.harness;
