package io.taskexec.cli.noun;

import static io.taskexec.cli.noun.Field.Show.ID;
import static io.taskexec.cli.noun.Field.Show.NUMBER;
import static io.taskexec.cli.noun.Field.Show.TEXT;

import io.taskexec.cli.Pages;
import io.taskexec.cli.Queues;
import java.util.List;
import picocli.CommandLine;

/** Queues, which are made by naming them. */
final class QueueCommands {
    private static final Noun QUEUES = new Noun(
            "queues",
            "queue",
            "",
            "name",
            List.of(
                    Field.of("NAME", ID, "/name"),
                    Field.of("READY", NUMBER, "/ready"),
                    Field.of("SCHEDULED", NUMBER, "/scheduled"),
                    Field.of("RETRYING", NUMBER, "/retrying"),
                    Field.of("RUNNING", NUMBER, "/running"),
                    Field.of("MORE", TEXT, "/more")),
            List.of());

    private QueueCommands() {}

    static CommandLine line() {
        return NounCommand.of("Lists and shows queues: what waits in each, and what runs.")
                .addSubcommand(
                        "list", ListCommand.of(QUEUES, (client, _, most) -> Pages.first(Queues.all(client), most)))
                .addSubcommand("get", GetCommand.of(QUEUES, Queues::known));
    }
}
