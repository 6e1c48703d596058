package io.taskexec.cli.option;

import io.taskexec.cli.Durations;
import io.taskexec.cli.IgnoredOptions;
import java.time.Duration;
import java.util.Set;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Options to repeat a request. */
public final class WatchOptions {
    private static final Duration MIN_INTERVAL = Duration.ofMillis(100);

    @Option(
            names = {"-w", "--watch"},
            description = "Repeat the request: redraw a terminal in place, otherwise print changes.")
    private boolean watch;

    @Option(
            names = "--interval",
            defaultValue = "2s",
            paramLabel = "DURATION",
            description = "Time between requests; default: ${DEFAULT-VALUE}.")
    private String interval = "";

    public boolean isEnabled() {
        return watch;
    }

    public Duration interval(CommandSpec spec) {
        if (!watch) {
            IgnoredOptions.refuse(spec, Set.of("--interval"), "without --watch");
        }
        var every = Durations.parse(interval);
        if (every == null || every.compareTo(MIN_INTERVAL) < 0) {
            throw new ParameterException(
                    spec.commandLine(), "--interval must be a duration such as 2s, not '" + interval + "'.");
        }
        return every;
    }
}
