package io.taskexec.cli;

import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/** The options that somebody has typed. None of them is passed over in silence. */
public final class GivenOptions {
    private GivenOptions() {}

    /** Says that these mean nothing {@code where} it is, if any of them was typed. */
    public static void refuse(CommandSpec spec, Set<String> options, String where) {
        refuse(spec, options::contains, where);
    }

    /** Says that all but these mean nothing {@code where} it is, if any other was typed. */
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
            throw new ParameterException(spec.commandLine(), given + " cannot be given " + where + ".");
        }
    }
}
