package io.taskexec;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** The order of versions as Maven has it. */
final class MavenVersion {
    static final Comparator<String> ORDER = MavenVersion::compare;

    /** Numbers and words, whatever is between them. */
    private static final Pattern PART = Pattern.compile("\\d+|\\p{Alpha}+");

    /** From the oldest to the newest; a release has no word, and other words come after all of these. */
    private static final List<String> WORDS = List.of("alpha", "beta", "milestone", "rc", "snapshot", "", "sp");

    private MavenVersion() {}

    private static int compare(String one, String other) {
        var left = parts(one);
        var right = parts(other);
        for (var n = 0; n < Math.max(left.size(), right.size()); n++) {
            var order = comparePart(n < left.size() ? left.get(n) : "", n < right.size() ? right.get(n) : "");
            if (order != 0) {
                return order;
            }
        }
        return 0;
    }

    /** A number is newer than a word; none counts as the number 0 and as the word of a release. */
    private static int comparePart(String one, String other) {
        if (isNumber(one) || isNumber(other)) {
            return isWord(one) ? -1 : isWord(other) ? 1 : number(one).compareTo(number(other));
        }
        var rank = Integer.compare(rank(one), rank(other));
        return rank != 0 ? rank : one.compareTo(other);
    }

    private static List<String> parts(String version) {
        var parts = new ArrayList<String>();
        var matcher = PART.matcher(version.toLowerCase(Locale.ROOT));
        while (matcher.find()) {
            parts.add(plain(matcher.group()));
        }
        return parts;
    }

    private static String plain(String part) {
        return switch (part) {
            case "ga", "final", "release" -> "";
            case "cr" -> "rc";
            case "a" -> "alpha";
            case "b" -> "beta";
            case "m" -> "milestone";
            default -> part;
        };
    }

    private static int rank(String word) {
        var rank = WORDS.indexOf(word);
        return rank < 0 ? WORDS.size() : rank;
    }

    private static boolean isNumber(String part) {
        return !part.isEmpty() && Character.isDigit(part.charAt(0));
    }

    private static boolean isWord(String part) {
        return !part.isEmpty() && !isNumber(part);
    }

    private static BigInteger number(String part) {
        return part.isEmpty() ? BigInteger.ZERO : new BigInteger(part);
    }
}
