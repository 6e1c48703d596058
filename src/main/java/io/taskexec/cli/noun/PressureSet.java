package io.taskexec.cli.noun;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.taskexec.cli.Durations;
import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.client.ServerCommand;
import io.taskexec.model.OperationSummary;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Sets a signal of pressure. */
@Command(name = "set", description = OperationSummary.SET_PRESSURE + " Repeat it to keep it.")
final class PressureSet extends ServerCommand {
    @Parameters(index = "0", paramLabel = "SOURCE", description = "Name of the signal.")
    private String source = "";

    @Parameters(index = "1", paramLabel = "VALUE", description = "From 0 to 1, the most.")
    private double value;

    @Option(
            names = "--ttl",
            paramLabel = "DURATION",
            defaultValue = "30s",
            description = "How long it counts, 1s to 1h (default: 30s).")
    private String ttl = "";

    @Override
    public Integer call() {
        var time = Durations.parse(ttl);
        if (time == null) {
            throw invalid("--ttl must be a duration such as 30s, not " + ttl + ".");
        }
        return callServer(client -> {
            var signal =
                    JsonNodeFactory.instance.objectNode().put("value", value).put("ttl", time.toString());
            var _ = client.put(PressureCommands.path(source), signal, null);
            println("The signal %s is %s for %s.".formatted(source, value, ttl));
            return ExitCode.DONE;
        });
    }
}
