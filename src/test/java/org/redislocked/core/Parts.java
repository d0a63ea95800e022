package org.redislocked.core;

import static org.redislocked.core.Stage.check;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One queue of an engine and what loses its holds, without the rest: so few steps that a model checker reaches each of
 * them. A hold here may be ended by any thread.
 */
final class Parts {

    final Stage stage = new Stage();
    final LockQueues queues = new LockQueues();
    final LockQueue queue = queues.enter(Stage.NAME);
    final HoldKeeper keeper;
    private final Contender contender;
    private final Renewals renewals;
    private final HoldBook book = new HoldBook();
    private final Lease lease = Lease.renewed(EngineTest.LEASE);

    Parts() {
        Releaser releaser = new Releaser(stage.store, stage.background, stage);
        LossNews news = new LossNews(stage.news, loss -> stage.told.incrementAndGet());
        keeper = new HoldKeeper(stage.store, Stage.AT_ONCE, book, queues, releaser, news, stage);
        contender = new Contender(stage.store, Stage.AT_ONCE, new GrantIds("test"), releaser, keeper, stage);
        renewals = new Renewals(stage.store, Stage.AT_ONCE, book, keeper, stage);
    }

    ActiveHold acquire() throws InterruptedException {
        try (Patience patience = Patience.uninterruptible(stage)) {
            ActiveHold hold = acquire(patience);
            check(hold != null, "given up without a reason");
            return hold;
        }
    }

    @Nullable
    ActiveHold tryAcquire() throws InterruptedException {
        try (Patience patience = Patience.none(stage)) {
            return acquire(patience);
        }
    }

    /** Its time is up as soon as it has looked. */
    @Nullable
    ActiveHold acquireTooLate() throws InterruptedException {
        try (Patience patience = Patience.interruptible(stage, Duration.ofSeconds(1))) {
            stage.pass(Duration.ofSeconds(1));
            return acquire(patience);
        }
    }

    @Nullable
    ActiveHold acquire(Patience patience) throws InterruptedException {
        return queue.acquire(patience, lease, contender);
    }

    /** As the engine does it for the owner. {@return false if the hold was lost before} */
    boolean release(ActiveHold hold) {
        book.unlink(hold);
        book.unwatch(hold);
        if (!hold.grant().beginRelease()) {
            return false;
        }
        check(stage.store.release(Stage.NAME, hold.grant().key().grantId()), "not held in the store");
        hold.grant().endRelease();
        queue.vacate(hold);
        return true;
    }

    void watch(ActiveHold hold) {
        book.add(hold);
    }

    /** What the scheduler runs. */
    void renew() {
        check(renewals.pass(Duration.ofSeconds(1)), "not answered");
    }
}
