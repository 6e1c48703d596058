package io.taskexec;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Finds names in the environment that look like settings and are none: misspelt ones, and those that nothing reads. */
final class StrayNames {
    /** With OTEL_ alone begins also what is for other signals than traces, and for libraries. */
    private static final List<String> PREFIXES = List.of("TE_", "OTEL_EXPORTER_OTLP_", "OTEL_TRACES_");

    /** Of programs that export these, which may have the same environment. */
    private static final List<String> OF_OTHER_SIGNALS =
            List.of("OTEL_EXPORTER_OTLP_METRICS_", "OTEL_EXPORTER_OTLP_LOGS_", "OTEL_EXPORTER_OTLP_PROFILES_");

    /** A name with more letters wrong than one in so many was not meant. */
    private static final int LETTERS_FOR_A_SLIP = 3;

    private StrayNames() {}

    /** A sentence for each name of the environment that looks like a setting and has no effect. */
    static List<String> warnings(Set<String> names, List<KnownSetting> settings) {
        var known = Stream.concat(settings.stream().flatMap(KnownSetting::names), KnownSettings.OF_COMMANDS.stream())
                .collect(Collectors.toSet());
        return new TreeSet<>(names)
                .stream()
                        .filter(name -> !known.contains(name))
                        .flatMap(name -> prefix(name).map(prefix -> warning(name, prefix, known)).stream())
                        .toList();
    }

    /** How a name begins that looks like a setting. */
    private static Optional<String> prefix(String name) {
        return OF_OTHER_SIGNALS.stream().anyMatch(name::startsWith)
                ? Optional.empty()
                : PREFIXES.stream().filter(name::startsWith).findFirst();
    }

    private static String warning(String name, String prefix, Set<String> known) {
        var reason = KnownSettings.UNUSED.get(name);
        return reason == null
                ? "%s is not a setting of taskexec%s"
                        .formatted(
                                name,
                                nearest(name, prefix, known)
                                        .map("; did you mean %s?"::formatted)
                                        .orElse("."))
                : "%s is set, but has no effect: %s.".formatted(name, reason);
    }

    private static Optional<String> nearest(String name, String prefix, Collection<String> known) {
        return known.stream()
                .filter(other -> other.startsWith(prefix))
                .filter(other -> distance(name, other) <= (other.length() - prefix.length()) / LETTERS_FOR_A_SLIP)
                .min(Comparator.<String>comparingInt(other -> distance(name, other))
                        .thenComparing(Comparator.naturalOrder()));
    }

    /** How many letters must be added, removed or replaced to make one of the other. */
    private static int distance(String one, String other) {
        var row = new int[other.length() + 1];
        for (var j = 0; j <= other.length(); j++) {
            row[j] = j;
        }
        for (var i = 1; i <= one.length(); i++) {
            var diagonal = row[0];
            row[0] = i;
            for (var j = 1; j <= other.length(); j++) {
                var replaced = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[other.length()];
    }
}
