package org.redislocked;

import static java.lang.annotation.ElementType.PARAMETER;
import static java.lang.annotation.RetentionPolicy.RUNTIME;

import java.lang.annotation.Documented;
import java.lang.annotation.Retention;
import java.lang.annotation.Target;

/**
 * Makes a parameter of a {@link RedisLocked} method part of the lock's name.
 *
 * <p><strong>Reserved:</strong> this version refuses it at deployment.
 */
@Documented
@Retention(RUNTIME)
@Target(PARAMETER)
public @interface LockKey {

    /** {@return the property of the parameter that is the key; empty for the parameter itself} */
    String value() default "";
}
