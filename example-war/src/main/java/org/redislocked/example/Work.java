package org.redislocked.example;

import java.time.Duration;

/** Stands for what a real shop does. */
final class Work {

    private Work() {}

    /** Takes this long. */
    static void take(Duration time) {
        try {
            Thread.sleep(time.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted at work", e);
        }
    }
}
