package io.taskexec.cli.noun;

import io.taskexec.cli.option.WaitOptions;
import picocli.CommandLine;

/** Creates the resources that a file describes. */
final class CreateCommand extends ResourceCreate {
    private final Noun noun;

    private CreateCommand(Noun noun) {
        this.noun = noun;
    }

    static CommandLine of(Noun noun) {
        return describe(new CreateCommand(noun), "Creates " + noun.one() + "s that a file describes.");
    }

    @Override
    public Integer call() {
        if (!hasFile()) {
            throw invalid("Name a file with -f, or -f - for the standard input.");
        }
        return fromFile(noun, new WaitOptions());
    }
}
