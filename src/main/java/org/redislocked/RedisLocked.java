package org.redislocked;

import static java.lang.annotation.ElementType.METHOD;
import static java.lang.annotation.ElementType.TYPE;
import static java.lang.annotation.RetentionPolicy.RUNTIME;

import jakarta.enterprise.util.Nonbinding;
import jakarta.interceptor.InterceptorBinding;
import java.lang.annotation.Documented;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.Target;
import java.util.concurrent.TimeUnit;

/**
 * Runs the method while the current thread holds a {@link ReentrantRedisLock}: at any time in one thread of one JVM
 * of all that share the Redis.
 *
 * <p>It works on methods of CDI beans, session beans and message-driven beans and on time-out methods, on classes (for all
 * their business methods) and on stereotypes. An annotation on the method replaces that on the class as a whole. As with
 * every interceptor, a call of a bean's method on {@code this} is not intercepted. Calls of locked methods of one name
 * inside each other re-enter.
 *
 * <h2>Transactions</h2>
 * The interceptor's priority is {@code PLATFORM_BEFORE + 150}. So the lock is taken before {@code @Transactional}
 * begins a transaction and released after its commit. {@code @Retry} and {@code @Fallback} of MicroProfile Fault
 * Tolerance work inside it and belong on an outer bean.
 *
 * <p>Inside a transaction that is active at the call, as the caller's or that of an EJB, the lock is kept until both the
 * method has returned and the transaction has ended; likewise for one that is begun by the method and still active when it
 * returns. {@link ReentrantRedisLock#joiningTransaction()} says how. The exception is a method that is
 * {@code @Transactional} with {@code REQUIRES_NEW}, {@code NOT_SUPPORTED} or {@code NEVER}: the caller's transaction is none
 * of it. Where the transaction refuses to tell of its end, the method is not run: {@link IllegalStateException}.
 *
 * <h2>Asynchronous methods</h2>
 * The lock is released when the method returns, but for a result of type {@code CompletionStage} or
 * {@code CompletableFuture}: it is released then when that is complete, as by
 * {@link ReentrantRedisLock#unlockWhenComplete}. Other futures and {@code Flow.Publisher} do not tell, and are refused at
 * deployment, unless {@code @Asynchronous} of Jakarta Enterprise Beans or Jakarta Concurrency has the method run
 * on a thread of its own, which takes the lock. {@code @Asynchronous} of MicroProfile Fault Tolerance would run it on a thread
 * that has not: it is refused as well.
 *
 * <h2>Exceptions</h2>
 * What a call may throw beside the method's own exceptions: {@link RedisLockTimeoutException},
 * {@link RedisLockUnavailableException}, both without having run the method; {@link RedisLockLostException} after it,
 * suppressed in the method's own exception if there is one. A thread interrupted while waiting gets an
 * {@link InterruptedException} if the method declares it, else an {@link IllegalStateException} that carries it, with
 * the interrupt status set.
 *
 * @see Hold#fencingToken()
 */
@InterceptorBinding
@Inherited
@Documented
@Retention(RUNTIME)
@Target({TYPE, METHOD})
public @interface RedisLocked {

    /** {@link #accessTimeout()}: 60 seconds with {@link Busy#THROW}, {@link #IMMEDIATE} with {@link Busy#SKIP}. */
    long DEFAULT = -2;

    /** {@link #accessTimeout()}: wait for as long as it takes. */
    long UNLIMITED = -1;

    /** {@link #accessTimeout()}: do not wait. */
    long IMMEDIATE = 0;

    /** {@link #leaseTime()}: the configured lease, renewed until the method returns. */
    long RENEWED = -1;

    /** What happens if the lock could not be had in time. */
    enum Busy {
        /** {@link RedisLockTimeoutException}. */
        THROW,
        /**
         * The call returns without having run the method. For methods that return {@code void}, {@code Optional},
         * {@code OptionalInt}, {@code OptionalLong}, {@code OptionalDouble}, {@code CompletionStage} or
         * {@code CompletableFuture}; the result is empty, or complete with null.
         */
        SKIP
    }

    /**
     * {@return the name of the lock}
     *
     * <p>If empty: on a method the name of the bean class, a dot, and the name of the method; on a class or stereotype
     * the name of the bean class, so that all its methods exclude each other. {@code ${key}} and
     * {@code ${key:default}} stand for values of the configuration, resolved at deployment. <code>#{…}</code> is
     * reserved: this version refuses it at deployment.
     */
    @Nonbinding
    String value() default "";

    /** {@return how long to wait for the lock} */
    @Nonbinding
    long accessTimeout() default DEFAULT;

    /** {@return the unit of {@link #accessTimeout()}} */
    @Nonbinding
    TimeUnit unit() default TimeUnit.SECONDS;

    /** {@return an explicit lease, which is not renewed: the lock is free after it, even if the method still runs} */
    @Nonbinding
    long leaseTime() default RENEWED;

    /** {@return the unit of {@link #leaseTime()}} */
    @Nonbinding
    TimeUnit leaseTimeUnit() default TimeUnit.SECONDS;

    /**
     * {@return for how long the lock stays taken at least}
     *
     * <p><strong>Reserved:</strong> this version refuses any value but 0 at deployment.
     */
    @Nonbinding
    long minHoldTime() default 0;

    /** {@return the unit of {@link #minHoldTime()}} */
    @Nonbinding
    TimeUnit minHoldTimeUnit() default TimeUnit.SECONDS;

    /** {@return what happens if the lock could not be had in time} */
    @Nonbinding
    Busy onBusy() default Busy.THROW;
}
