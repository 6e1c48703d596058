package io.taskexec.cli.noun;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.cli.OutputOptions;
import io.taskexec.cli.Watching;
import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.client.RefusedException;
import io.taskexec.cli.client.ServerClient;
import io.taskexec.cli.client.ServerOptions;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** One resource with everything that the API shows of it, or of a part of it. */
@Command(mixinStandardHelpOptions = true)
final class GetCommand implements Callable<Integer> {
    @Parameters(paramLabel = "NAME", description = "Its name or id, as 'list' shows it.")
    private String name = "";

    @Mixin
    private WatchOptions watch = new WatchOptions();

    @Mixin
    private OutputOptions output = new OutputOptions();

    @Mixin
    private ServerOptions server = new ServerOptions();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    private final Noun noun;
    private final Source source;

    /** Where it comes from. */
    @FunctionalInterface
    interface Source {
        JsonNode read(ServerClient client, String id) throws RefusedException, IOException, InterruptedException;
    }

    private GetCommand(Noun noun, Source source) {
        this.noun = noun;
        this.source = source;
    }

    static CommandLine of(Noun noun) {
        return of(noun, (client, id) -> client.get(noun.one(id).toString()));
    }

    static CommandLine of(Noun noun, Source source) {
        return describe(new GetCommand(noun, source), "Shows everything about one " + noun.one() + ".");
    }

    /** Something that each resource of a noun has one of. */
    static CommandLine below(Noun noun, String part, String description) {
        return describe(new GetCommand(noun, (client, id) -> client.get(noun.one(id) + "/" + part)), description);
    }

    private static CommandLine describe(GetCommand command, String description) {
        var line = new CommandLine(command);
        var _ = line.getCommandSpec().usageMessage().description(description);
        return line;
    }

    @Override
    public Integer call() {
        var every = watch.interval(spec);
        var id = noun.bare(name);
        var shown = noun.nameOf(id);
        return server.call(spec, client -> {
            var out = spec.commandLine().getOut();
            if (watch.areGiven()) {
                var view = new DetailsView(out, output);
                return new Watching(every, spec.commandLine().getErr())
                        .at(() -> view.refresh(source.read(client, id), shown));
            }
            out.print(Details.text(source.read(client, id), shown, output));
            out.flush();
            return ExitCode.DONE;
        });
    }
}
