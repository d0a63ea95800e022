package org.redislocked.history;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.redislocked.history.History.Ask;
import org.redislocked.history.History.Hold;
import org.redislocked.history.History.How;
import org.redislocked.history.History.Refusal;

/** Makes asks and holds of the lines of one process. */
final class JournalReader {
    private static final class Wait {
        String thread = "";
        String lock = "";
        long from;
        long limit;
        long until = History.NEVER;
    }

    private static final class Holding {
        String id = "";
        String lock = "";
        long token;
        long asked;
        long from;
        long promised;
        int deepest = 1;
        long leaving = History.NEVER;
        long left = History.NEVER;
        How how = How.UNKNOWN;
    }

    private final String client;
    /** When the process was killed; {@link History#NEVER} if it was not. */
    private final long killed;

    private final Map<String, Wait> waits = new LinkedHashMap<>();
    private final Map<String, Holding> holdings = new LinkedHashMap<>();
    private final List<Refusal> refusals = new ArrayList<>();
    private final List<String> wrongs = new ArrayList<>();

    JournalReader(String client, Path journal, long killed) {
        this.client = client;
        this.killed = killed;
        try {
            var text = Files.exists(journal) ? Files.readString(journal) : "";
            // What follows the last line end was being written when the process was killed.
            text.substring(0, text.lastIndexOf('\n') + 1).lines().forEach(this::read);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void read(String line) {
        var part = line.split("\t", -1);
        switch (Journal.Kind.valueOf(part[0])) {
            case ASKED -> {
                var wait = waits.computeIfAbsent(part[1], id -> new Wait());
                wait.thread = part[2];
                wait.lock = part[3];
                wait.from = Long.parseLong(part[4]);
                wait.limit = Long.parseLong(part[5]);
            }
            case ANSWERED -> waits.get(part[1]).until = Long.parseLong(part[2]);
            case HELD -> {
                var holding = holdings.computeIfAbsent(part[1], id -> new Holding());
                holding.id = part[1];
                holding.lock = part[2];
                holding.token = Long.parseLong(part[3]);
                holding.asked = Long.parseLong(part[4]);
                holding.from = Long.parseLong(part[5]);
                holding.promised = holding.from;
            }
            case PROMISED -> {
                var holding = holdings.get(part[1]);
                holding.promised = Math.max(holding.promised, Long.parseLong(part[2]));
            }
            case ENTERED -> {
                var holding = holdings.get(part[1]);
                holding.deepest = Math.max(holding.deepest, Integer.parseInt(part[2]));
            }
            case LEAVING -> holdings.get(part[1]).leaving = Long.parseLong(part[2]);
            case LEFT -> {
                var holding = holdings.get(part[1]);
                holding.left = Long.parseLong(part[2]);
                holding.how = How.valueOf(part[3]);
            }
            case REFUSED -> refusals.add(new Refusal(part[1], Long.parseLong(part[2]), Long.parseLong(part[3])));
            case WRONG -> wrongs.add(client + ": " + part[1]);
        }
    }

    List<Ask> asks() {
        return waits.values().stream()
                .map(wait -> new Ask(
                        client,
                        wait.thread,
                        wait.lock,
                        wait.from,
                        Math.min(wait.until, killed),
                        wait.limit,
                        wait.until == History.NEVER && killed != History.NEVER))
                .toList();
    }

    List<Hold> holds() {
        return holdings.values().stream()
                .map(holding -> new Hold(
                        client,
                        holding.lock,
                        holding.id,
                        holding.token,
                        holding.asked,
                        holding.from,
                        claimedUntil(holding),
                        Math.min(holding.left, killed),
                        holding.how,
                        holding.deepest))
                .toList();
    }

    /** Who leaves without a loss had the lock until then; else it is what was promised, but not after leaving began. */
    private static long claimedUntil(Holding holding) {
        return holding.how == How.RELEASED ? holding.leaving : Math.min(holding.promised, holding.leaving);
    }

    List<Refusal> refusals() {
        return refusals;
    }

    List<String> wrongs() {
        return wrongs;
    }
}
