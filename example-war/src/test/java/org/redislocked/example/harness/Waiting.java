package org.redislocked.example.harness;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** For servers that do things in their own time. */
final class Waiting {

    private static final Duration LIMIT = Duration.ofSeconds(90);

    private Waiting() {}

    /** {@return whether success came before failure, and at all} */
    static boolean until(BooleanSupplier success, BooleanSupplier failure) throws InterruptedException {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!success.getAsBoolean()) {
            if (failure.getAsBoolean() || System.nanoTime() > deadline) {
                return false;
            }
            Thread.sleep(50);
        }
        return true;
    }
}
