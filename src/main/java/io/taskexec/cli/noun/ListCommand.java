package io.taskexec.cli.noun;

import io.taskexec.cli.IgnoredOptions;
import io.taskexec.cli.OutputOptions;
import io.taskexec.cli.WatchLoop;
import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.client.Pages;
import io.taskexec.cli.client.ServerClient;
import io.taskexec.cli.client.ServerCommand;
import io.taskexec.cli.client.ServerPath;
import io.taskexec.cli.option.WatchOptions;
import java.io.IOException;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Option;

/** Lists resources of a kind, or items that belong to one resource. */
final class ListCommand extends ServerCommand {
    @Option(names = "--limit", defaultValue = "50", description = "Maximum number of items; default: ${DEFAULT-VALUE}.")
    private int limit;

    @Option(names = "--all", description = "List all items.")
    private boolean all;

    @Option(names = "--no-headers", description = "Leave out the titles of the table.")
    private boolean noHeaders;

    @Mixin
    private WatchOptions watch = new WatchOptions();

    @Mixin
    private OutputOptions output = new OutputOptions();

    private final @Nullable Noun owner;
    private final Noun items;
    private final Source source;

    /** Reads the items. */
    @FunctionalInterface
    interface Source {
        Pages read(ServerClient client, ServerPath path, int max) throws IOException, InterruptedException;
    }

    /** @param owner the kind of resource that the items belong to; null for all items */
    private ListCommand(@Nullable Noun owner, Noun items, Source source) {
        this.owner = owner;
        this.items = items;
        this.source = source;
    }

    static CommandLine of(Noun noun) {
        return new ListCommand(null, noun, Pages::read).line("List " + noun.one() + "s, newest first.");
    }

    static CommandLine of(Noun noun, Source source, String description) {
        return new ListCommand(null, noun, source).line(description);
    }

    static CommandLine below(Noun owner, Noun.Sublist list) {
        // Versions of a job are jobs.
        var many = list.id().equals(owner.id()) ? owner.many() : list.path();
        var items = new Noun(list.path(), many, list.path(), list.id(), list.columns(), list.filters());
        return new ListCommand(owner, items, Pages::read).line(list.description());
    }

    private CommandLine line(String description) {
        var line = describe(this, description);
        items.filters().forEach(filter -> filter.addTo(line.getCommandSpec()));
        if (owner != null) {
            line.getCommandSpec()
                    .addPositional(PositionalParamSpec.builder()
                            .index("0")
                            .arity("1")
                            .type(String.class)
                            .paramLabel(owner.id().toUpperCase(Locale.ROOT))
                            .description("The " + owner.one() + ".")
                            .build());
        }
        return line;
    }

    @Override
    public Integer call() {
        if (all) {
            IgnoredOptions.refuse(spec(), Set.of("--limit"), "with --all");
        }
        if (limit < 1) {
            throw invalid("--limit must be at least 1, not " + limit + ".");
        }
        if (!output.isTable()) {
            IgnoredOptions.refuse(spec(), Set.of("--no-headers"), "with -o");
        }
        var every = watch.interval(spec());
        var from = filtered();
        var max = all ? Pages.ALL : limit;
        var out = spec().commandLine().getOut();
        var listing = new ListPrinter(out, output, items, !noHeaders);
        return callServer(client -> {
            if (watch.isEnabled()) {
                return new WatchLoop(every, out, spec().commandLine().getErr())
                        .run(() ->
                                listing.refresh(source.read(client, from, max).items()));
            }
            var pages = source.read(client, from, max);
            listing.print(pages.items());
            if (pages.more() && output.isTable()) {
                warn("There are more: use --all or a greater --limit.");
            }
            return ExitCode.DONE;
        });
    }

    private ServerPath filtered() {
        var from = items.all();
        if (owner != null) {
            Object given = spec().positionalParameters().getFirst().getValue();
            from = owner.one(String.valueOf(given)).below(items.path());
        }
        for (var filter : items.filters()) {
            var value = filter.value(spec());
            if (value != null) {
                from = from.with(filter.parameter(), value);
            }
        }
        return from;
    }
}
