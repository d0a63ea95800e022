/** Starts real servers with the shop, for the demonstration and for the tests. */
package org.redislocked.example.harness;
