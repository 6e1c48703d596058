package io.taskexec.cli.noun;

import static io.taskexec.cli.Field.Show.NUMBER;
import static io.taskexec.cli.Field.Show.TEXT;

import io.taskexec.cli.Commands;
import io.taskexec.cli.Field;
import io.taskexec.cli.Queues;
import io.taskexec.cli.client.Pages;
import java.util.List;
import java.util.stream.Stream;

/** Queues, which are made by naming them. */
final class QueueCommands {
    private static final Noun QUEUES = new Noun(
            "queue",
            "queues",
            "",
            "name",
            Stream.concat(Queues.fields("NAME", NUMBER).stream(), Stream.of(Field.of("MORE", TEXT, "/more")))
                    .toList(),
            List.of());

    private QueueCommands() {}

    static void addTo(Commands program) {
        var _ = program.with(
                "queues",
                () -> NounCommand.of("Lists and shows queues: what waits in each, and what runs."),
                () -> new Commands()
                        .with(
                                "list",
                                () -> ListCommand.of(
                                        QUEUES, (client, _, most) -> Pages.first(Queues.all(client), most)))
                        .with("get", () -> GetCommand.of(QUEUES, Queues::known)));
    }
}
