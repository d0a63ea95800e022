package org.redislocked.history;

import static java.util.stream.Collectors.groupingBy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.redislocked.history.History.Ask;
import org.redislocked.history.History.Entry;
import org.redislocked.history.History.Hold;

/** When somebody had a reason to want a grant in Redis: its hold, and waiting for the lock in the same client. */
final class Interest {
    private record Span(long from, long until) {}

    private final List<Ask> asks;
    private final Map<String, List<Hold>> holds;
    private final Map<String, List<Span>> byGrant = new HashMap<>();

    Interest(History history) {
        asks = history.asks();
        holds = history.holds().stream().collect(groupingBy(Hold::grant));
    }

    /** {@return the latest time, not after the given one, at which somebody did; the minimum if nobody ever did} */
    long lastBefore(Entry entry, long time) {
        long last = Long.MIN_VALUE / 2; // differences of it do not overflow
        for (var span : byGrant.computeIfAbsent(entry.lock() + " " + entry.grant(), key -> spans(entry))) {
            if (span.from > time) {
                break;
            }
            last = Math.max(last, Math.min(span.until, time));
        }
        return last;
    }

    private List<Span> spans(Entry entry) {
        var spans = new ArrayList<Span>();
        for (var hold : holds.getOrDefault(entry.grant(), List.of())) {
            spans.add(new Span(hold.asked(), hold.left()));
        }
        // A try of unknown outcome is passed on from one waiter to the next.
        for (var ask : asks) {
            if (ask.lock().equals(entry.lock()) && entry.isOf(ask.client())) {
                spans.add(new Span(ask.from(), ask.until()));
            }
        }
        spans.sort(Comparator.comparingLong(Span::from));
        return spans;
    }
}
