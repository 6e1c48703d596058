package io.taskexec.cli.noun;

import io.taskexec.cli.text.CliCommand;
import java.util.List;
import picocli.CommandLine;

/** Groups the commands for one kind of resource. */
final class NounCommand extends CliCommand {
    private NounCommand() {}

    static CommandLine of(String description) {
        return describe(new NounCommand(), description);
    }

    @Override
    public Integer call() {
        var verbs = List.copyOf(spec().subcommands().keySet());
        var last = verbs.size() - 1;
        throw invalid(
                "A command is missing: " + String.join(", ", verbs.subList(0, last)) + " or " + verbs.get(last) + ".");
    }
}
