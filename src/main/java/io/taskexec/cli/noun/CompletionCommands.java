package io.taskexec.cli.noun;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.cli.Commands;
import io.taskexec.cli.Durations;
import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.client.ServerCommand;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Defines the commands that say of deferred executions what their receivers would. */
final class CompletionCommands {
    private CompletionCommands() {}

    static Commands addTo(Commands executions) {
        return executions
                .withObject("complete", Complete::new)
                .withObject("fail", Fail::new)
                .withObject("progress", ProgressReport::new);
    }

    /** Sends a callback for a receiver. */
    abstract static class Callback extends ServerCommand {
        @Parameters(paramLabel = "ID", description = "Id of a deferred execution.")
        private String id = "";

        /** The body of the callback. */
        abstract ObjectNode body();

        @Override
        public Integer call() {
            var body = body();
            var path = Nouns.EXECUTIONS.one(id) + "/callback";
            return callServer(client -> {
                var answer = client.post(path, body);
                println("execution %s %s."
                        .formatted(
                                answer.path("execution_id").asText(),
                                answer.hasNonNull("status")
                                        ? "is " + answer.path("status").asText()
                                        : "goes on"));
                return ExitCode.DONE;
            });
        }

        static ObjectNode of(String status) {
            return JsonNodeFactory.instance.objectNode().put("status", status);
        }
    }

    /** Completes an execution. */
    @Command(name = "complete", description = "Complete a deferred execution, as its receiver would.")
    static final class Complete extends Callback {
        @Option(names = "--output", paramLabel = "JSON", description = "Output of the execution.")
        private @Nullable String output;

        @Override
        ObjectNode body() {
            var body = of("succeeded");
            return output == null ? body : body.set("output", json(output));
        }

        private JsonNode json(String text) {
            try {
                return new ObjectMapper().readTree(text);
            } catch (JsonProcessingException e) {
                throw invalid("--output is no JSON: " + e.getOriginalMessage());
            }
        }
    }

    /** Fails an attempt. */
    @Command(name = "fail", description = "Fail the attempt of a deferred execution, as its receiver would.")
    static final class Fail extends Callback {
        @Option(names = "--message", required = true, description = "The reason.")
        private String message = "";

        @Option(names = "--permanent", description = "Make no further attempt.")
        private boolean permanent;

        @Override
        ObjectNode body() {
            var body = of("failed");
            body.putObject("error").put("message", message).put("permanent", permanent);
            return body;
        }
    }

    /** Reports progress. */
    @Command(name = "progress", description = "Report the progress of a deferred execution, as its receiver would.")
    static final class ProgressReport extends Callback {
        @Option(names = "--current", required = true, description = "Units that are done.")
        private double current;

        @Option(names = "--total", description = "Units in all.")
        private @Nullable Double total;

        @Option(names = "--message", description = "What is being done.")
        private @Nullable String message;

        @Option(
                names = "--extend",
                paramLabel = "DURATION",
                description = "Time from now on that it needs, such as 1h.")
        private @Nullable String extend;

        @Override
        ObjectNode body() {
            var body = of("progress");
            var progress = body.putObject("progress").put("current", current);
            if (total != null) {
                progress.put("total", total);
            }
            if (message != null) {
                progress.put("message", message);
            }
            if (extend != null) {
                var time = Durations.parse(extend);
                if (time == null) {
                    throw invalid("--extend must be a duration such as 1h, not " + extend + ".");
                }
                body.put("extend", time.toString());
            }
            return body;
        }
    }
}
