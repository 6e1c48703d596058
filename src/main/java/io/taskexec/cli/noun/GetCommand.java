package io.taskexec.cli.noun;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.cli.OutputOptions;
import io.taskexec.cli.WatchLoop;
import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.client.ResourceName;
import io.taskexec.cli.client.ServerClient;
import io.taskexec.cli.client.ServerCommand;
import io.taskexec.cli.client.ServerPath;
import io.taskexec.cli.option.WatchOptions;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;

/** Shows all fields of one resource, or of a part of it. */
final class GetCommand extends ServerCommand {
    @Mixin
    private WatchOptions watch = new WatchOptions();

    @Mixin
    private OutputOptions output = new OutputOptions();

    private final Noun noun;
    private final Source source;
    private final Details.Layout layout;
    private @Nullable ResourceName name;

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
        return command(new GetCommand(noun, source, layout), "Show all fields of one " + noun.one() + ".");
    }

    /** Shows a job, also by its key. */
    static CommandLine ofJob() {
        var jobs = Nouns.JOBS;
        var get = new GetCommand(jobs, (client, id) -> client.get(jobs.one(id).toString()), Details.PLAIN);
        var command = describe(get, "Show all fields of one job.");
        get.name = ResourceName.ofJob(command);
        return command;
    }

    private static CommandLine command(GetCommand get, String description) {
        var command = describe(get, description);
        get.name = ResourceName.in(command);
        return command;
    }

    /** @param part the last part of the path */
    static CommandLine below(Noun noun, String part, String description) {
        return below(noun, part, description, Details.PLAIN);
    }

    static CommandLine below(Noun noun, String part, String description, Details.Layout layout) {
        Source source = (client, id) -> client.get(noun.one(id) + "/" + part);
        return command(new GetCommand(noun, source, layout), description);
    }

    @Override
    public Integer call() {
        var every = watch.interval(spec());
        var named = requireNonNull(name);
        var byKey = named.byKey();
        var id = noun.bare(named.text());
        return callServer(client -> {
            if (watch.isEnabled()) {
                var out = spec().commandLine().getOut();
                var view = new DetailsPrinter(out, output, layout);
                return new WatchLoop(every, out, spec().commandLine().getErr()).run(() -> {
                    var found = read(client, byKey, id);
                    view.refresh(found, shown(found, id));
                });
            }
            var found = read(client, byKey, id);
            print(Details.text(found, shown(found, id), output, layout));
            return ExitCode.DONE;
        });
    }

    private JsonNode read(ServerClient client, @Nullable ServerPath byKey, String id)
            throws IOException, InterruptedException {
        return byKey == null ? source.read(client, id) : client.get(byKey.toString());
    }

    private String shown(JsonNode found, String id) {
        return id.isEmpty() ? noun.nameOf(found) : noun.nameOf(id);
    }
}
