package io.taskexec.cli.noun;

import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.client.ServerCommand;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Parameters;

/** Deletes resources one after the other; stops at the first that is refused. */
final class DeleteCommand extends ServerCommand {
    @Parameters(paramLabel = "NAME", arity = "1..*", description = "Names to delete.")
    private List<String> names = List.of();

    private final Noun noun;

    private DeleteCommand(Noun noun) {
        this.noun = noun;
    }

    static CommandLine of(Noun noun) {
        return describe(new DeleteCommand(noun), "Delete " + noun.one() + "s that nothing uses.");
    }

    @Override
    public Integer call() {
        return callServer(client -> {
            for (var name : names) {
                var _ = client.delete(noun.one(name).toString());
                println(noun.one() + " " + noun.bare(name) + " is deleted.");
            }
            return ExitCode.DONE;
        });
    }
}
