package io.taskexec.cli.noun;

import static io.taskexec.cli.ResourceColumn.Format.NUMBER;
import static io.taskexec.cli.ResourceColumn.Format.TEXT;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.cli.Commands;
import io.taskexec.cli.OutputOptions;
import io.taskexec.cli.Queues;
import io.taskexec.cli.ResourceColumn;
import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.client.Pages;
import io.taskexec.cli.client.ServerCommand;
import io.taskexec.cli.noun.ActionCommand.Input;
import io.taskexec.cli.option.JsonFields;
import io.taskexec.cli.option.QueryOption;
import io.taskexec.cli.option.QueryOption.Kind;
import io.taskexec.model.OperationSummary;
import io.taskexec.model.endpoint.QueueFields;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Defines the commands for queues. */
final class QueueCommands {
    static final Noun QUEUES = new Noun(
            "queue",
            "queues",
            "/queues",
            "name",
            Stream.concat(
                            Queues.fields("NAME", NUMBER).stream(),
                            Stream.of(
                                    Queues.PAUSE,
                                    ResourceColumn.of("MORE", TEXT, "/more"),
                                    ResourceColumn.of("WEIGHT", NUMBER, "/weight"),
                                    ResourceColumn.of("AGING", TEXT, "/aging")))
                    .toList(),
            List.of());

    private QueueCommands() {}

    static void addTo(Commands program) {
        var _ = program.with(
                "queues",
                () -> NounCommand.of("List, show and change queues, with the number of executions in each status."),
                QueueCommands::verbs);
    }

    private static Commands verbs() {
        return new Commands()
                .with(
                        "list",
                        () -> ListCommand.of(
                                QUEUES,
                                (client, _, max) -> Pages.first(Queues.all(client), max),
                                "List queues, in the order of their names."))
                .with("get", () -> GetCommand.of(QUEUES, Queues::one))
                .withObject("create", QueueCreate::new)
                .withObject("update", Update::new)
                .with("delete", () -> DeleteCommand.of(QUEUES))
                .with(
                        "pause",
                        () -> ActionCommand.of(
                                QUEUES,
                                "pause",
                                Input.BODY,
                                List.of(
                                        new QueryOption("until", Kind.TEXT, "Time of the end, with offset."),
                                        new QueryOption("reason", Kind.TEXT, "Reason, for display.")),
                                ActionSummary.PAUSED_QUEUE,
                                OperationSummary.PAUSE_QUEUE))
                .with(
                        "resume",
                        () -> ActionCommand.of(
                                QUEUES,
                                "resume",
                                Input.QUERY,
                                List.of(),
                                ActionSummary.RESUMED_QUEUE,
                                OperationSummary.RESUME_QUEUE));
    }

    /** Changes some settings of a queue: replaces what it has just read, unless that has changed since. */
    @Command(description = "Change settings of a queue; the others stay as they are.")
    static final class Update extends ServerCommand {
        @Parameters(paramLabel = "NAME", description = "Name of the queue.")
        private String name = "";

        @Mixin
        private QueueCreate.Settings options = new QueueCreate.Settings();

        @Option(
                names = "--unset",
                paramLabel = "FIELD",
                description = "Field of the API to reset to its default, such as aging; may be repeated.")
        private List<String> unset = List.of();

        @Mixin
        private OutputOptions output = new OutputOptions();

        @Override
        public Integer call() {
            if (options.isEmpty() && unset.isEmpty()) {
                throw invalid("Set at least one change, such as --weight or --unset.");
            }
            return callServer(client -> {
                var path = QUEUES.one(name).toString();
                var found = client.find(path);
                // Of a queue that does not exist the server says so.
                var queue = found == null ? client.get(path) : client.put(path, changed(found.body()), found.tag());
                print(
                        output.isTable()
                                ? "queue " + queue.path("name").asText() + " is changed.\n"
                                : output.show(queue, QUEUES.nameOf(queue)));
                return ExitCode.DONE;
            });
        }

        private ObjectNode changed(JsonNode present) {
            var queue = JsonNodeFactory.instance.objectNode();
            QueueFields.NEW_QUEUE.fields().keySet().stream()
                    .filter(present::hasNonNull)
                    .forEach(field -> queue.set(field, present.path(field)));
            unset.forEach(queue::putNull);
            options.addTo(new JsonFields(queue, spec()));
            return queue;
        }
    }
}
