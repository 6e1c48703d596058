package io.taskexec.model;

import java.util.Collection;
import java.util.Locale;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Finds the known name that a misspelt one was meant to be. */
public final class NearestName {
    /** A name with more letters wrong than one in so many was not meant. */
    private static final int LETTERS_FOR_A_SLIP = 3;

    private NearestName() {}

    /** The known name that differs least from {@code name}, which may be in another case; null when none is near. */
    public static @Nullable String of(String name, Collection<String> known) {
        var lower = name.toLowerCase(Locale.ROOT);
        @Nullable String nearest = null;
        var least = Integer.MAX_VALUE;
        for (var other : known) {
            var slips = other.length() / LETTERS_FOR_A_SLIP;
            if (Math.abs(other.length() - name.length()) > slips) {
                continue;
            }
            var distance = distance(lower, other.toLowerCase(Locale.ROOT));
            var isNearer = distance < least || (distance == least && nearest != null && other.compareTo(nearest) < 0);
            if (distance <= slips && isNearer && isNearByWord(lower, other.toLowerCase(Locale.ROOT))) {
                nearest = other;
                least = distance;
            }
        }
        return nearest;
    }

    /** The end of a sentence that asks whether the nearest name was meant; only {@code otherwise} when none is near. */
    public static String hint(String name, Collection<String> known, String otherwise) {
        var nearest = of(name, known);
        return nearest == null ? otherwise : "; did you mean " + nearest + "?";
    }

    /** Of created_after and created_before one is the opposite of the other, however alike the two are as a whole. */
    private static boolean isNearByWord(String one, String other) {
        var words = one.split("_", -1);
        var others = other.split("_", -1);
        return words.length != others.length
                || IntStream.range(0, words.length)
                        .allMatch(i ->
                                distance(words[i], others[i]) <= Math.max(1, others[i].length() / LETTERS_FOR_A_SLIP));
    }

    /** The edit distance: letters to add, remove, replace or swap with the next one. */
    private static int distance(String one, String other) {
        var beforeLast = new int[other.length() + 1];
        var last = new int[other.length() + 1];
        for (var j = 0; j <= other.length(); j++) {
            last[j] = j;
        }
        for (var i = 1; i <= one.length(); i++) {
            var row = new int[other.length() + 1];
            row[0] = i;
            for (var j = 1; j <= other.length(); j++) {
                var isSame = one.charAt(i - 1) == other.charAt(j - 1);
                row[j] = Math.min(last[j - 1] + (isSame ? 0 : 1), 1 + Math.min(row[j - 1], last[j]));
                if (isSwapped(one, other, i, j)) {
                    row[j] = Math.min(row[j], beforeLast[j - 2] + 1);
                }
            }
            beforeLast = last;
            last = row;
        }
        return last[other.length()];
    }

    private static boolean isSwapped(String one, String other, int i, int j) {
        return i > 1 && j > 1 && one.charAt(i - 1) == other.charAt(j - 2) && one.charAt(i - 2) == other.charAt(j - 1);
    }
}
