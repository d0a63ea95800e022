package org.redislocked.history;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import org.redislocked.testing.FaultProxy;
import org.redislocked.testing.JavaProcess;

/** One workload process of a round and its way to Redis. */
final class Member implements AutoCloseable {
    private static final Duration START = Duration.ofSeconds(30);

    private final Plan plan;
    private final FaultProxy proxy;
    private final JavaProcess process;
    private volatile long killed = History.NEVER;

    Member(Plan plan, FaultProxy proxy, JavaProcess process) {
        this.plan = plan;
        this.proxy = proxy;
        this.process = process;
    }

    /** Waits until it is ready, and makes sure that we read the same clock. */
    void awaitReady() {
        for (int reading = 0; reading < 2; reading++) { // the first one includes the start
            long before = System.nanoTime();
            process.writeLine("clock");
            long there = Long.parseLong(process.readLine(START));
            if (there < before || there > System.nanoTime()) {
                throw new IllegalStateException("The processes of this machine do not share the clock");
            }
        }
    }

    void begin() {
        process.writeLine("begin");
    }

    void kill() {
        process.kill();
        killed = System.nanoTime();
    }

    void suspend() {
        process.suspend();
    }

    void resume() {
        process.resume();
    }

    FaultProxy proxy() {
        return proxy;
    }

    boolean wasKilled() {
        return killed != History.NEVER;
    }

    void awaitEnd() {
        if (!wasKilled() && process.awaitExit(plan.duration().plus(plan.patience()).plus(START)) != 0) {
            throw new IllegalStateException(process + " failed:\n" + process.errors());
        }
    }

    JournalReader journal() {
        return new JournalReader(plan.client(), plan.journal(), killed);
    }

    @Override
    public void close() {
        process.close();
        proxy.close();
        try {
            Files.deleteIfExists(plan.journal());
        } catch (IOException e) {
            System.err.println("Left behind: " + plan.journal());
        }
    }
}
