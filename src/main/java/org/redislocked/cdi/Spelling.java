package org.redislocked.cdi;

import java.util.Collection;
import java.util.Comparator;

/** Guesses what was meant by a mistyped word. */
final class Spelling {

    private Spelling() {}

    /** {@return the known word that takes the fewest edits to come from the given one} */
    static String nearest(String word, Collection<String> known) {
        return known.stream()
                .min(Comparator.<String>comparingInt(candidate -> distance(word, candidate))
                        .thenComparing(Comparator.naturalOrder()))
                .orElseThrow();
    }

    /** The Levenshtein distance, row by row. */
    private static int distance(String from, String to) {
        int[] row = new int[to.length() + 1];
        for (int j = 0; j <= to.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= from.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= to.length(); j++) {
                int replaced = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[to.length()];
    }
}
