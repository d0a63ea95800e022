package org.redislocked.history;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.redislocked.testing.Fault;
import org.redislocked.testing.FaultProxy;
import org.redislocked.testing.FaultProxy.Command;
import org.redislocked.testing.JavaProcess;

/** One workload process of a round and its way to Redis. */
final class Member implements AutoCloseable {
    private static final Duration START = Duration.ofSeconds(30);

    private record Strike(FaultKind kind, Fault fault, Runnable done) {

        /** From a connection that has gone deaf come no signals. All else is for the scripts and asking the time. */
        boolean suits(Command command) {
            return kind == FaultKind.SIGNAL_LOST
                    ? command.name().endsWith("SUBSCRIBE")
                    : command.name().startsWith("EVAL") || command.name().equals("TIME");
        }
    }

    private final Plan plan;
    private final FaultProxy proxy;
    private final JavaProcess process;
    private final FaultProxy.Policy always;
    private final Queue<Strike> strikes = new ConcurrentLinkedQueue<>();
    private volatile long killed = History.NEVER;

    /** @param always what to do with commands that nothing else is to be done with */
    Member(Plan plan, FaultProxy proxy, JavaProcess process, FaultProxy.Policy always) {
        this.plan = plan;
        this.proxy = proxy;
        this.process = process;
        this.always = always;
        proxy.policy(this::onCommand);
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

    /** Does this with the next command on its way to Redis that it can be done with. */
    void strike(FaultKind kind, Fault fault, Runnable done) {
        strikes.add(new Strike(kind, fault, done));
    }

    /** Forgets what was not yet done. */
    void leaveInPeace() {
        strikes.clear();
    }

    /** What is to be done is for one command each, though several connections may come here together. */
    private Fault onCommand(Command command) {
        var strike = strikes.stream().filter(each -> each.suits(command)).findFirst();
        if (strike.isPresent() && strikes.remove(strike.get())) {
            strike.get().done.run();
            return strike.get().fault;
        }
        return always.on(command);
    }

    boolean wasKilled() {
        return killed != History.NEVER;
    }

    void awaitEnd() {
        if (!wasKilled()
                && process.awaitExit(plan.duration().plus(plan.patience()).plus(START)) != 0) {
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
