package org.redislocked.trial.cases.transactions;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waits for what comes on other threads. */
final class Waiting {

    private Waiting() {}

    /** {@return whether it came true in time} */
    static boolean until(Duration limit, BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                return false;
            }
            Thread.sleep(20);
        }
        return true;
    }
}
