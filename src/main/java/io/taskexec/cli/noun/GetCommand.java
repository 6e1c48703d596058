package io.taskexec.cli.noun;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.cli.OutputOptions;
import io.taskexec.cli.WatchLoop;
import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.client.ServerClient;
import io.taskexec.cli.client.ServerCommand;
import io.taskexec.cli.option.WatchOptions;
import java.io.IOException;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Shows all fields of one resource, or of a part of it. */
final class GetCommand extends ServerCommand {
    @Parameters(paramLabel = "NAME", description = "Name or id, as 'list' shows it.")
    private String name = "";

    @Mixin
    private WatchOptions watch = new WatchOptions();

    @Mixin
    private OutputOptions output = new OutputOptions();

    private final Noun noun;
    private final Source source;
    private final Details.Layout layout;

    /** Reads the resource. */
    @FunctionalInterface
    interface Source {
        JsonNode read(ServerClient client, String id) throws IOException, InterruptedException;
    }

    private GetCommand(Noun noun, Source source, Details.Layout layout) {
        this.noun = noun;
        this.source = source;
        this.layout = layout;
    }

    static CommandLine of(Noun noun) {
        return of(noun, Details.PLAIN);
    }

    static CommandLine of(Noun noun, Details.Layout layout) {
        return of(noun, (client, id) -> client.get(noun.one(id).toString()), layout);
    }

    static CommandLine of(Noun noun, Source source) {
        return of(noun, source, Details.PLAIN);
    }

    private static CommandLine of(Noun noun, Source source, Details.Layout layout) {
        return describe(new GetCommand(noun, source, layout), "Show all fields of one " + noun.one() + ".");
    }

    /** @param part the last part of the path */
    static CommandLine below(Noun noun, String part, String description) {
        return below(noun, part, description, Details.PLAIN);
    }

    static CommandLine below(Noun noun, String part, String description, Details.Layout layout) {
        Source source = (client, id) -> client.get(noun.one(id) + "/" + part);
        return describe(new GetCommand(noun, source, layout), description);
    }

    @Override
    public Integer call() {
        var every = watch.interval(spec());
        var id = noun.bare(name);
        var shown = noun.nameOf(id);
        return callServer(client -> {
            if (watch.isEnabled()) {
                var view = new DetailsPrinter(spec().commandLine().getOut(), output, layout);
                return new WatchLoop(every, spec().commandLine().getErr())
                        .run(() -> view.refresh(source.read(client, id), shown));
            }
            print(Details.text(source.read(client, id), shown, output, layout));
            return ExitCode.DONE;
        });
    }
}
