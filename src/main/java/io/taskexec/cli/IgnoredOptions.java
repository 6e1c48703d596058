package io.taskexec.cli;

import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/** Rejects options that have no effect together with others. */
public final class IgnoredOptions {
    private IgnoredOptions() {}

    /** Rejects these options, if any was given. */
    public static void refuse(CommandSpec spec, Set<String> options, String where) {
        refuse(spec, options::contains, where);
    }

    /** Rejects all other options, if any was given. */
    public static void refuseAllBut(CommandSpec spec, Set<String> options, String where) {
        refuse(spec, option -> !options.contains(option), where);
    }

    private static void refuse(CommandSpec spec, Predicate<String> meaningless, String where) {
        var given = spec.commandLine().getParseResult().matchedOptions().stream()
                .map(OptionSpec::longestName)
                .filter(meaningless)
                .distinct()
                .collect(Collectors.joining(", "));
        if (!given.isEmpty()) {
            throw new ParameterException(spec.commandLine(), given + " cannot be used " + where + ".");
        }
    }
}
