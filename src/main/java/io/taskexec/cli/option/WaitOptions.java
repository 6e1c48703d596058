package io.taskexec.cli.option;

import io.taskexec.cli.Durations;
import io.taskexec.cli.IgnoredOptions;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Options to wait for the end of executions. */
public final class WaitOptions {
    public static final Set<String> NAMES = Set.of("--wait", "--timeout");

    @Option(
            names = "--wait",
            description = "Wait until the execution has ended; the exit code is 0 only after a success, or when a job"
                    + " that was to be cancelled has ended.")
    private boolean wait;

    @Option(
            names = "--timeout",
            defaultValue = "5m",
            paramLabel = "DURATION",
            description = "Timeout of --wait, with exit code 5; default: ${DEFAULT-VALUE}.")
    private String timeout = "";

    /** Returns the timeout; null when the command does not wait. */
    public @Nullable Duration bound(CommandSpec spec) {
        if (!wait) {
            IgnoredOptions.refuse(spec, Set.of("--timeout"), "without --wait");
            return null;
        }
        var bound = Durations.parse(timeout);
        if (bound == null || bound.isNegative()) {
            throw new ParameterException(
                    spec.commandLine(), "--timeout must be a duration such as 90s or 5m, not '" + timeout + "'.");
        }
        return bound;
    }
}
