package io.taskexec.cli.noun;

import io.taskexec.cli.Durations;
import io.taskexec.cli.GivenOptions;
import java.time.Duration;
import java.util.Set;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Whether something is shown once or over and over. */
final class WatchOptions {
    private static final Duration SHORTEST = Duration.ofMillis(100);

    @Option(
            names = {"-w", "--watch"},
            description = "Look again and again: shown in place on a terminal, and otherwise what has changed.")
    private boolean watch;

    @Option(
            names = "--interval",
            defaultValue = "2s",
            paramLabel = "DURATION",
            description = "How often to look; default: ${DEFAULT-VALUE}.")
    private String interval = "";

    boolean areGiven() {
        return watch;
    }

    Duration interval(CommandSpec spec) {
        if (!watch) {
            GivenOptions.refuse(spec, Set.of("--interval"), "without --watch");
        }
        var every = Durations.parse(interval);
        if (every == null || every.compareTo(SHORTEST) < 0) {
            throw new ParameterException(
                    spec.commandLine(), "--interval must be a duration such as 2s, not '" + interval + "'.");
        }
        return every;
    }
}
