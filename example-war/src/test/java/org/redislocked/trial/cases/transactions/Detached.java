package org.redislocked.trial.cases.transactions;

import static java.lang.annotation.ElementType.TYPE;
import static java.lang.annotation.RetentionPolicy.RUNTIME;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Stereotype;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.lang.annotation.Documented;
import java.lang.annotation.Retention;
import java.lang.annotation.Target;

/** Beans that have no part in the transactions of others. */
@Stereotype
@ApplicationScoped
@Transactional(TxType.NOT_SUPPORTED)
@Documented
@Target(TYPE)
@Retention(RUNTIME)
public @interface Detached {}
