package io.taskexec.cli.noun;

import static io.taskexec.cli.ResourceColumn.Format.NUMBER;
import static io.taskexec.cli.ResourceColumn.Format.TEXT;

import io.taskexec.cli.Commands;
import io.taskexec.cli.Queues;
import io.taskexec.cli.ResourceColumn;
import io.taskexec.cli.client.Pages;
import io.taskexec.cli.noun.ActionCommand.Input;
import io.taskexec.cli.noun.QueryOption.Kind;
import io.taskexec.model.OperationSummary;
import java.util.List;
import java.util.stream.Stream;

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
                .with("list", () -> ListCommand.of(QUEUES, (client, _, max) -> Pages.first(Queues.all(client), max)))
                .with("get", () -> GetCommand.of(QUEUES, Queues::one))
                .withObject("create", QueueCreate::new)
                .withObject("update", QueueUpdate::new)
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
}
