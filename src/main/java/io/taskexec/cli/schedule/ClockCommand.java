package io.taskexec.cli.schedule;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.cli.Commands;
import io.taskexec.cli.Durations;
import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.client.ServerCommand;
import io.taskexec.cli.text.RelativeTime;
import io.taskexec.model.OperationSummary;
import java.time.Duration;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows the virtual clock of a server. */
@Command(name = "clock", description = "Show the virtual clock of 'taskexec dev --virtual-clock', or move it ahead.")
public final class ClockCommand extends ServerCommand {
    private static final String PATH = "/dev/clock";

    /** More than the server takes for it. */
    private static final Duration TIMEOUT = Duration.ofMinutes(15);

    /** Adds it with its subcommands to the program's commands. */
    public static void addTo(Commands program) {
        var _ = program.with(
                "clock",
                () -> new CommandLine(new ClockCommand()),
                () -> new Commands().withObject("advance", Advance::new).withObject("set", Set::new));
    }

    @Override
    public Integer call() {
        return callServer(client -> {
            println(sentence(client.get(PATH)));
            return ExitCode.DONE;
        });
    }

    private static String sentence(JsonNode clock) {
        return "The clock is at %s, %s ahead."
                .formatted(
                        clock.path("now").asText(),
                        RelativeTime.span(
                                rounded(Duration.ofMillis(clock.path("ahead_ms").asLong()))));
    }

    /** The system's clock went on while this one was moved. */
    private static Duration rounded(Duration ahead) {
        var unit = ahead.toDays() > 0 ? Duration.ofHours(1) : Duration.ofMinutes(1);
        return unit.multipliedBy(ahead.plus(unit.dividedBy(2)).dividedBy(unit));
    }

    /** Moves the clock. */
    abstract static class Move extends ServerCommand {
        @Option(
                names = "--max-wait",
                paramLabel = "DURATION",
                defaultValue = "1m",
                description = "How long what is due at one time may take, 1s to 10m (default: ${DEFAULT-VALUE}).")
        private String maxWait = "";

        final int move(ObjectNode goal) {
            var body = goal.put("max_wait", Durations.iso(maxWait));
            return callServer(client -> {
                println(sentence(client.post(PATH, body, TIMEOUT)));
                return ExitCode.DONE;
            });
        }
    }

    /** Moves the clock by a duration. */
    @Command(name = "advance", description = OperationSummary.ADVANCE_CLOCK + " What is due on the way is done.")
    static final class Advance extends Move {
        @Parameters(paramLabel = "DURATION", description = "How far, such as 40d or PT12H.")
        private String duration = "";

        @Override
        public Integer call() {
            return move(JsonNodeFactory.instance.objectNode().put("advance", Durations.iso(duration)));
        }
    }

    /** Moves the clock to a time. */
    @Command(name = "set", description = OperationSummary.ADVANCE_CLOCK + " It never goes back.")
    static final class Set extends Move {
        @Parameters(paramLabel = "TIME", description = "ISO 8601 with an offset, such as 2027-01-01T00:00:00Z.")
        private String time = "";

        @Override
        public Integer call() {
            return move(JsonNodeFactory.instance.objectNode().put("to", time));
        }
    }
}
