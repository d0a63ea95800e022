/** A small shop on several nodes that share a limited stock, and so need a lock. */
package org.redislocked.example;
