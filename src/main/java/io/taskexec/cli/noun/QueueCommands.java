package io.taskexec.cli.noun;

import static io.taskexec.cli.ResourceColumn.Format.NUMBER;
import static io.taskexec.cli.ResourceColumn.Format.TEXT;

import io.taskexec.cli.Commands;
import io.taskexec.cli.Queues;
import io.taskexec.cli.ResourceColumn;
import io.taskexec.cli.client.Pages;
import java.util.List;
import java.util.stream.Stream;

/** Defines the commands for queues. */
final class QueueCommands {
    private static final Noun QUEUES = new Noun(
            "queue",
            "queues",
            "",
            "name",
            Stream.concat(Queues.fields("NAME", NUMBER).stream(), Stream.of(ResourceColumn.of("MORE", TEXT, "/more")))
                    .toList(),
            List.of());

    private QueueCommands() {}

    static void addTo(Commands program) {
        var _ = program.with(
                "queues",
                () -> NounCommand.of("List and show queues with the number of executions in each status."),
                () -> new Commands()
                        .with(
                                "list",
                                () -> ListCommand.of(QUEUES, (client, _, max) -> Pages.first(Queues.all(client), max)))
                        .with("get", () -> GetCommand.of(QUEUES, Queues::known)));
    }
}
