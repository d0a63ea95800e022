package org.redislocked.trial;

import static java.lang.annotation.ElementType.METHOD;
import static java.lang.annotation.RetentionPolicy.RUNTIME;

import java.lang.annotation.Documented;
import java.lang.annotation.Retention;
import java.lang.annotation.Target;

/**
 * Marks a public method without parameters, of a CDI bean or an EJB without an interface, as a case: a test that runs
 * inside the server, in the thread of a request and without a transaction. It is called through the container, so its own
 * annotations count, and passes when it returns.
 */
@Documented
@Target(METHOD)
@Retention(RUNTIME)
public @interface InContainer {}
