package io.taskexec.cli.forecast;

import io.taskexec.cli.client.ResourceName;
import io.taskexec.cli.client.ServerPath;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that select a forecast. */
final class ForecastOptions {
    @Option(
            names = "--hours",
            defaultValue = "24",
            description = "Hours to look ahead, 1 to 168; default: ${DEFAULT-VALUE}.")
    private int hours;

    @Option(names = "--endpoint", paramLabel = "ENDPOINT", description = "Name of the only endpoint.")
    private @Nullable String endpoint;

    ServerPath path() {
        var path = ServerPath.of("/forecast").with("hours", Integer.toString(hours));
        return endpoint == null ? path : path.with("endpoint", ResourceName.bare("endpoints", endpoint));
    }
}
