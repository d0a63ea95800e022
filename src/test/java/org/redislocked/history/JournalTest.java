package org.redislocked.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.redislocked.history.History.Ask;
import org.redislocked.history.History.Hold;
import org.redislocked.history.History.How;
import org.redislocked.history.Journal.Kind;

/** A hold claims what it was promised, and not more. */
class JournalTest {
    private static final String ID = "p1-x:1:1#1";

    @TempDir
    private Path directory;

    @Test
    void hold_released_lastedUntilItsOwnerLeft() throws IOException {
        try (var journal = journal()) {
            held(journal);
            journal.write(Kind.PROMISED, ID, 150);
            journal.write(Kind.ENTERED, ID, 2);
            journal.write(Kind.LEAVING, ID, 170); // it was renewed after the last look
            journal.write(Kind.LEFT, ID, 180, How.RELEASED);
        }

        assertThat(read(History.NEVER).holds())
                .containsExactly(new Hold("p1", "a", ID, 7, 90, 100, 170, 180, How.RELEASED, 2));
    }

    @Test
    void hold_lost_lastedAsLongAsWasPromised() throws IOException {
        try (var journal = journal()) {
            held(journal);
            journal.write(Kind.PROMISED, ID, 150);
            journal.write(Kind.PROMISED, ID, 140);
            journal.write(Kind.LEAVING, ID, 170);
            journal.write(Kind.LEFT, ID, 180, How.LOST);
        }

        assertThat(read(History.NEVER).holds())
                .containsExactly(new Hold("p1", "a", ID, 7, 90, 100, 150, 180, How.LOST, 1));
    }

    @Test
    void hold_ofKilledProcess_lastsAsLongAsWasPromised() throws IOException {
        try (var journal = journal()) {
            held(journal);
            journal.write(Kind.PROMISED, ID, 150);
        }
        Files.writeString(file(), "LEAVING\t" + ID + "\t1", StandardOpenOption.APPEND);

        assertThat(read(120).holds()).containsExactly(new Hold("p1", "a", ID, 7, 90, 100, 150, 120, How.UNKNOWN, 1));
    }

    @Test
    void hold_ofProcessThatWasKilledAsItLeft_claimsNothingAfterThat() throws IOException {
        try (var journal = journal()) {
            held(journal);
            journal.write(Kind.PROMISED, ID, 150);
            journal.write(Kind.LEAVING, ID, 110);
        }

        assertThat(read(120).holds()).containsExactly(new Hold("p1", "a", ID, 7, 90, 100, 110, 120, How.UNKNOWN, 1));
    }

    @Test
    void ask_withoutAnswer_lastsForEverOrUntilTheProcessWasKilled() throws IOException {
        try (var journal = journal()) {
            journal.write(Kind.ASKED, "1", "p1-0", "a", 50, 30);
            journal.write(Kind.ANSWERED, "1", 60);
            journal.write(Kind.ASKED, "2", "p1-0", "a", 70, History.NEVER);
        }

        var answered = new Ask("p1", "p1-0", "a", 50, 60, 30, false);
        assertThat(read(History.NEVER).asks())
                .containsExactly(answered, new Ask("p1", "p1-0", "a", 70, History.NEVER, History.NEVER, false));
        assertThat(read(80).asks()).containsExactly(answered, new Ask("p1", "p1-0", "a", 70, 80, History.NEVER, true));
    }

    private static void held(Journal journal) {
        journal.write(Kind.HELD, ID, "a", 7, 90, 100);
    }

    private JournalReader read(long killed) {
        return new JournalReader("p1", file(), killed);
    }

    private Journal journal() throws IOException {
        return new Journal(file());
    }

    private Path file() {
        return directory.resolve("journal");
    }
}
