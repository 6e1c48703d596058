package io.taskexec.config;

import io.taskexec.model.NearestName;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Finds variables in the environment that look like settings but are not: misspelt ones, and those that nothing reads.
 */
final class UnknownVariables {
    /** With OTEL_ alone begins also what is for other signals than traces, and for libraries. */
    private static final List<String> PREFIXES = List.of("TE_", "OTEL_EXPORTER_OTLP_", "OTEL_TRACES_");

    /** Of programs that export these, which may have the same environment. */
    private static final List<String> OF_OTHER_SIGNALS =
            List.of("OTEL_EXPORTER_OTLP_METRICS_", "OTEL_EXPORTER_OTLP_LOGS_", "OTEL_EXPORTER_OTLP_PROFILES_");

    private UnknownVariables() {}

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

    /** The prefix of names that look like settings. */
    private static Optional<String> prefix(String name) {
        return OF_OTHER_SIGNALS.stream().anyMatch(name::startsWith)
                ? Optional.empty()
                : PREFIXES.stream().filter(name::startsWith).findFirst();
    }

    private static String warning(String name, String prefix, Set<String> known) {
        var reason = KnownSettings.UNUSED.get(name);
        return reason == null
                ? name + " is not a setting of taskexec" + hint(name, prefix, known)
                : "%s is set, but has no effect: %s.".formatted(name, reason);
    }

    /** Compares names without the prefix that they share. */
    private static String hint(String name, String prefix, Set<String> known) {
        var rests = known.stream()
                .filter(other -> other.startsWith(prefix))
                .map(other -> other.substring(prefix.length()))
                .toList();
        var nearest = NearestName.of(name.substring(prefix.length()), rests);
        return nearest == null ? "." : "; did you mean " + prefix + nearest + "?";
    }
}
