package io.taskexec.cli.noun;

import static io.taskexec.cli.ResourceColumn.Format.ID;
import static io.taskexec.cli.ResourceColumn.Format.STATUS;
import static io.taskexec.cli.ResourceColumn.Format.TEXT;
import static io.taskexec.cli.ResourceColumn.Format.TIME;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.cli.Commands;
import io.taskexec.cli.Durations;
import io.taskexec.cli.ResourceColumn;
import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.client.ServerCommand;
import io.taskexec.cli.client.ServerPath;
import io.taskexec.cli.option.JsonFields;
import io.taskexec.cli.option.QueryOption;
import io.taskexec.cli.option.QueryOption.Kind;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Defines the commands that say of deferred executions what their receivers, or people, would. */
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
            return new JsonFields(of("succeeded"), spec())
                    .putJson("output", "--output", output)
                    .fields();
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

    /** Defines the commands for approvals. */
    static final class Approvals {
        private static final Noun NOUN = new Noun(
                "approval",
                "approvals",
                "/approvals",
                "execution_id",
                List.of(
                        ResourceColumn.of("EXECUTION ID", ID, "/execution_id"),
                        ResourceColumn.of("TITLE", TEXT, "/title"),
                        ResourceColumn.of("ASKED", TIME, "/asked_at"),
                        ResourceColumn.of("DEADLINE", TIME, "/deadline"),
                        ResourceColumn.of("DECISION", STATUS, "/decision"),
                        ResourceColumn.of("BY", TEXT, "/decided_by")),
                List.of(new QueryOption("open", Kind.TEXT, "Whether they wait for a decision: true or false.")));

        private Approvals() {}

        static void addTo(Commands program) {
            var _ = program.with(
                    "approvals",
                    () -> NounCommand.of("List the questions that executions ask people, and decide."),
                    () -> new Commands()
                            .with("list", () -> ListCommand.of(NOUN))
                            .with("get", () -> GetCommand.of(NOUN))
                            .withObject("approve", Approve::new)
                            .withObject("reject", Reject::new));
        }

        /** Decides about a question. */
        abstract static class Decide extends ServerCommand {
            @Parameters(paramLabel = "ID", description = "Id of the execution that asks.")
            private String id = "";

            @Option(names = "--comment", description = "Comment, for the record.")
            private @Nullable String comment;

            private final String decision;
            private final String done;

            Decide(String decision, String done) {
                this.decision = decision;
                this.done = done;
            }

            @Override
            public Integer call() {
                return callServer(client -> {
                    var body = JsonNodeFactory.instance.objectNode().put("decision", decision);
                    if (comment != null) {
                        body.put("comment", comment);
                    }
                    var path = ServerPath.of(NOUN.one(id) + "/decision").toString();
                    var answer = client.post(path, body);
                    println("execution %s is %s."
                            .formatted(answer.path("execution_id").asText(), done));
                    return ExitCode.DONE;
                });
            }
        }

        /** Approves. */
        @Command(name = "approve", description = "Approve what an execution asks.")
        static final class Approve extends Decide {
            Approve() {
                super("approve", "approved");
            }
        }

        /** Rejects. */
        @Command(name = "reject", description = "Reject what an execution asks.")
        static final class Reject extends Decide {
            Reject() {
                super("reject", "rejected");
            }
        }
    }
}
