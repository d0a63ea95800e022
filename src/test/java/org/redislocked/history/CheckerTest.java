package org.redislocked.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.redislocked.history.History.Ask;
import org.redislocked.history.History.Entry;
import org.redislocked.history.History.Hold;
import org.redislocked.history.History.How;
import org.redislocked.history.History.Refusal;
import org.redislocked.history.History.Snapshot;
import org.redislocked.history.History.Write;
import org.redislocked.history.Violation.Rule;

/** Histories written by hand, in milliseconds: an honest one, and for each rule one that breaks it. */
class CheckerTest {
    private static final Bounds EXCLUSIVE = bounds(true);
    private static final Bounds DATA_LOST = bounds(false);

    private final List<Ask> asks = new ArrayList<>();
    private final List<Hold> holds = new ArrayList<>();
    private final List<Write> writes = new ArrayList<>();
    private final List<Refusal> refusals = new ArrayList<>();
    private final List<Snapshot> snapshots = new ArrayList<>();
    private final List<String> wrongs = new ArrayList<>();

    @Test
    void check_honestHistory_findsNothing() {
        hold("p1", 1, 100, 300, 10);
        hold("p2", 2, 350, 400, 20);
        wait("p2", 200, 350, History.NEVER);
        write(1, 10, true);
        write(2, 20, true);
        write(1, 10, false);
        refusals.add(new Refusal("p1-x:1:1#1", 10, nanos(360)));
        look(90);
        look(150, entry("p1", 1, 1, 900));
        look(160, entry("p1", 1, 1, 1000)); // renewed
        look(380, entry("p2", 2, 1, 900));
        look(500);

        assertThat(check(EXCLUSIVE)).isEmpty();
    }

    @Test
    void check_tokenTwice_isFound() {
        hold("p1", 1, 100, 200, 10);
        hold("p2", 2, 300, 400, 10);

        assertThat(check(EXCLUSIVE)).containsExactly(Rule.TOKENS_UNIQUE);
    }

    @Test
    void check_laterHoldWithLowerToken_isFound() {
        hold("p1", 1, 100, 200, 10);
        hold("p2", 2, 300, 400, 9);

        assertThat(check(EXCLUSIVE)).containsExactly(Rule.TOKENS_IN_ORDER);
        assertThat(check(DATA_LOST)).containsExactly(Rule.TOKENS_IN_ORDER);
    }

    @Test
    void check_overlappingHoldsWithTokensInAnyOrder_areOnlyWrongWhereTheyExcludeEachOther() {
        hold("p1", 1, 100, 200, 10);
        holds.add(hold("p2", 2, 90, 110, 190, 9, How.RELEASED));

        assertThat(check(EXCLUSIVE)).containsExactlyInAnyOrder(Rule.TOKENS_IN_ORDER, Rule.HOLDS_DISJOINT);
        assertThat(check(DATA_LOST)).isEmpty();
    }

    @Test
    void check_holdInsideALongOne_isFoundThoughAnotherLiesBetween() {
        hold("p1", 1, 100, 900, 10);
        hold("p2", 2, 200, 210, 11);
        hold("p3", 3, 800, 850, 12);

        assertThat(check(EXCLUSIVE)).containsExactly(Rule.HOLDS_DISJOINT, Rule.HOLDS_DISJOINT);
    }

    @Test
    void check_otherGrantOrNoneInRedisDuringAHold_isFound() {
        hold("p1", 1, 100, 300, 10);
        hold("p2", 2, 400, 600, 11);
        hold("p3", 3, 700, 900, 12);
        look(150);
        look(500, entry("p9", 9, 1, 500));
        look(750, entry("p3", 3, 1, 500));

        assertThat(check(EXCLUSIVE)).contains(Rule.HOLD_IN_REDIS, Rule.HOLD_IN_REDIS);
        assertThat(check(DATA_LOST)).doesNotContain(Rule.HOLD_IN_REDIS);
    }

    @Test
    void check_lookThatBeganBeforeTheHold_provesNothing() {
        hold("p1", 1, 100, 300, 10);
        snapshots.add(new Snapshot(nanos(90), nanos(120), List.of()));
        snapshots.add(new Snapshot(nanos(290), nanos(320), List.of()));

        assertThat(check(EXCLUSIVE)).isEmpty();
    }

    @Test
    void check_acceptedWriteWithLowerToken_isFound() {
        write(2, 20, true);
        write(1, 10, true);

        assertThat(check(EXCLUSIVE)).containsExactly(Rule.WRITES_FORWARD);
    }

    @Test
    void check_refusedWriteDuringTheHold_isFound() {
        hold("p1", 1, 100, 300, 10);
        refusals.add(new Refusal("p1-x:1:1#1", 10, nanos(200)));

        assertThat(check(EXCLUSIVE)).containsExactly(Rule.WRITE_ACCEPTED);
    }

    @Test
    void check_keyWithoutEndOrLongerThanAnyLease_isFound() {
        hold("p1", 1, 100, 300, 10);
        hold("p2", 2, 400, 500, 11);
        look(150, entry("p1", 1, 1, -1));
        look(450, entry("p2", 2, 1, 2_501));

        assertThat(check(EXCLUSIVE)).containsExactly(Rule.LEASE_BOUNDED, Rule.LEASE_BOUNDED);
    }

    @Test
    void check_leaseThatWasShortened_isFound() {
        hold("p1", 1, 100, 900, 10);
        look(200, entry("p1", 1, 1, 2_000));
        look(250, entry("p1", 1, 1, 1_000));

        assertThat(check(EXCLUSIVE)).containsExactly(Rule.LEASE_NEVER_SHORTER);
    }

    @Test
    void check_countThatNobodyEntered_isFound() {
        hold("p1", 1, 100, 300, 10);
        hold("p2", 2, 400, 500, 11);
        look(150, entry("p1", 1, 2, 1_000));
        look(450, entry("p2", 2, 0, 1_000));

        assertThat(check(EXCLUSIVE)).containsExactly(Rule.COUNT_RIGHT, Rule.COUNT_RIGHT);
    }

    @Test
    void check_grantThatOutlivesItsOwnerByMoreThanALease_isFound() {
        hold("p1", 1, 100, 300, 10);
        look(200, entry("p1", 1, 1, 2_000));
        look(4_200, entry("p1", 1, 1, 2_000));
        assertThat(check(EXCLUSIVE)).isEmpty();
        look(4_400, entry("p1", 1, 1, 2_000));

        assertThat(check(EXCLUSIVE)).containsExactly(Rule.NO_ORPHAN);
    }

    @Test
    void check_grantOfAnotherClientsWaiter_isAnOrphan() {
        wait("p1", 100, 9_000, 9_000);
        wait("p2", 100, 200, 100);
        look(90);
        look(5_000, entry("p2", 1, 1, 2_000));

        assertThat(check(EXCLUSIVE)).contains(Rule.NO_ORPHAN);
    }

    @Test
    void check_lookThatWasHeldUpUntilSomebodyHadAsked_isNoOrphan() {
        wait("p1", 100, 200, 100);
        wait("p1", 9_050, 9_090, 100);
        look(9_000);
        snapshots.add(new Snapshot(nanos(9_020), nanos(9_080), List.of(entry("p1", 1, 1, 1_000))));

        assertThat(check(EXCLUSIVE)).isEmpty();
    }

    @Test
    void check_grantThatComesLongAfterItsWaiterLeft_isFound() {
        wait("p1", 100, 200, 100);
        look(1_000);
        look(2_000, entry("p1", 1, 1, 1_000));
        assertThat(check(EXCLUSIVE)).isEmpty();
        snapshots.clear();
        look(1_800);
        look(2_000, entry("p1", 1, 1, 1_000));

        assertThat(check(EXCLUSIVE)).containsExactly(Rule.NOT_LATE);
    }

    @Test
    void check_waiterOfALockThatIsFreeForLong_isFound() {
        hold("p1", 1, 100, 200, 10);
        wait("p2", 150, 5_300, History.NEVER);
        hold("p2", 2, 5_300, 5_400, 11);

        assertThat(check(EXCLUSIVE)).containsExactly(Rule.NO_WAITER_FORGOTTEN);
    }

    @Test
    void check_waiterThatWaitsThoughAllHaveEnded_isFound() {
        wait("p2", 9_000, Long.MAX_VALUE, History.NEVER);

        assertThat(check(EXCLUSIVE)).containsExactly(Rule.NO_WAITER_FORGOTTEN);
    }

    @Test
    void check_waiterOfAKilledProcess_isNotMissed() {
        asks.add(new Ask("p1", "p1-0", "a", nanos(100), nanos(8_000), History.NEVER, true));

        assertThat(check(EXCLUSIVE)).isEmpty();
    }

    @Test
    void check_tryThatReturnsTooLate_isFound() {
        wait("p1", 100, 1_700, 100);
        assertThat(check(EXCLUSIVE)).isEmpty();
        wait("p1", 100, 1_900, 100);

        assertThat(check(EXCLUSIVE)).containsExactly(Rule.BACK_IN_TIME);
    }

    @Test
    void check_whatAWorkloadFoundWrong_isFound() {
        wrongs.add("the flag was not set");

        assertThat(check(EXCLUSIVE)).containsExactly(Rule.AS_DOCUMENTED);
    }

    private List<Rule> check(Bounds bounds) {
        var history = new History(asks, holds, writes, refusals, snapshots, wrongs, nanos(10_000));
        return Checker.check(history, bounds).stream().map(Violation::rule).toList();
    }

    private void hold(String client, int number, long from, long until, long token) {
        holds.add(hold(client, number, from - 5, from, until, token, How.RELEASED));
    }

    private static Hold hold(String client, int number, long asked, long from, long until, long token, How how) {
        return new Hold(
                client,
                "a",
                grant(client, number) + "#1",
                token,
                nanos(asked),
                nanos(from),
                nanos(until),
                nanos(until + 5),
                how,
                1);
    }

    private void wait(String client, long from, long until, long limit) {
        asks.add(new Ask(
                client,
                client + "-0",
                "a",
                nanos(from),
                until == Long.MAX_VALUE ? History.NEVER : nanos(until),
                limit == History.NEVER ? limit : nanos(limit),
                false));
    }

    private void write(int number, long token, boolean accepted) {
        writes.add(new Write("a", grant("p" + number, number) + "#1", token, accepted));
    }

    private void look(long at, Entry... entries) {
        snapshots.add(new Snapshot(nanos(at), nanos(at + 1), List.of(entries)));
    }

    private static Entry entry(String client, int number, int count, long leaseMillis) {
        return new Entry("a", grant(client, number), count, leaseMillis);
    }

    private static String grant(String client, int number) {
        return client + "-x:1:" + number;
    }

    private static long nanos(long millis) {
        return Duration.ofMillis(millis).toNanos();
    }

    /** Leases of up to 2.5 s, calls of up to 1 s, half a second of blur, waiters to be served within 5 s. */
    private static Bounds bounds(boolean exclusive) {
        return new Bounds(
                exclusive,
                Duration.ofMillis(2_500),
                Duration.ofSeconds(1),
                Duration.ofMillis(500),
                Duration.ofSeconds(5));
    }
}
