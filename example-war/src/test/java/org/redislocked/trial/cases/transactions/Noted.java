package org.redislocked.trial.cases.transactions;

import static java.lang.annotation.ElementType.METHOD;
import static java.lang.annotation.ElementType.TYPE;
import static java.lang.annotation.RetentionPolicy.RUNTIME;

import jakarta.interceptor.InterceptorBinding;
import java.lang.annotation.Documented;
import java.lang.annotation.Retention;
import java.lang.annotation.Target;

/** Has {@link Notes} taken between the lock and the transaction of a call. */
@InterceptorBinding
@Documented
@Target({METHOD, TYPE})
@Retention(RUNTIME)
public @interface Noted {}
