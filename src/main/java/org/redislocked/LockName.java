package org.redislocked;

import static java.lang.annotation.ElementType.FIELD;
import static java.lang.annotation.ElementType.METHOD;
import static java.lang.annotation.ElementType.PARAMETER;
import static java.lang.annotation.ElementType.TYPE;
import static java.lang.annotation.RetentionPolicy.RUNTIME;

import jakarta.enterprise.util.AnnotationLiteral;
import jakarta.enterprise.util.Nonbinding;
import jakarta.inject.Qualifier;
import java.io.Serial;
import java.lang.annotation.Documented;
import java.lang.annotation.Retention;
import java.lang.annotation.Target;

/**
 * Names the lock at an injection point of type {@link ReentrantRedisLock}.
 *
 * <pre>{@code
 * @Inject @LockName("nightly-report") ReentrantRedisLock lock;
 * }</pre>
 */
@Qualifier
@Documented
@Retention(RUNTIME)
@Target({FIELD, PARAMETER, METHOD, TYPE})
public @interface LockName {

    /**
     * {@return the name of the lock; not empty}
     *
     * <p>{@code ${key}} and {@code ${key:default}} stand for values of the configuration. They are resolved at
     * deployment.
     */
    @Nonbinding
    String value();

    /** For lookups by {@code Instance.select}. */
    final class Literal extends AnnotationLiteral<LockName> implements LockName {

        @Serial
        private static final long serialVersionUID = 1L;

        /** The name of the lock. */
        private final String value;

        private Literal(String value) {
            this.value = value;
        }

        /**
         * {@return the qualifier of this name}
         *
         * @param value the name of the lock
         */
        public static Literal of(String value) {
            return new Literal(value);
        }

        @Override
        public String value() {
            return value;
        }
    }
}
