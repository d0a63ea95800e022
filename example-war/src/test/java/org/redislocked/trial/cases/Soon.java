package org.redislocked.trial.cases;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.concurrent.Callable;

/** Waits for what another thread is about to do. */
final class Soon {

    private static final Duration LIMIT = Duration.ofSeconds(8);

    private Soon() {}

    /** Fails unless the value is the expected one before long. */
    static <T> void equal(T expected, Callable<T> actual) {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        try {
            T last = actual.call();
            while (!expected.equals(last) && System.nanoTime() < deadline) {
                Thread.sleep(5);
                last = actual.call();
            }
            assertEquals(expected, last);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
