package io.taskexec.cli.noun;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.cli.Field;
import io.taskexec.cli.GivenOptions;
import io.taskexec.cli.OutputOptions;
import io.taskexec.cli.Watching;
import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.client.Pages;
import io.taskexec.cli.client.RefusedException;
import io.taskexec.cli.client.ServerClient;
import io.taskexec.cli.client.ServerOptions;
import io.taskexec.cli.client.ServerPath;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A list of the API: all of a noun, or what belongs to one resource. */
@Command(mixinStandardHelpOptions = true)
final class ListCommand implements Callable<Integer> {
    @Option(names = "--limit", defaultValue = "50", description = "How many at most; default: ${DEFAULT-VALUE}.")
    private int limit;

    @Option(names = "--all", description = "All that there are.")
    private boolean all;

    @Option(names = "--no-headers", description = "A table without titles.")
    private boolean noHeaders;

    @Mixin
    private WatchOptions watch = new WatchOptions();

    @Mixin
    private OutputOptions output = new OutputOptions();

    @Mixin
    private ServerOptions server = new ServerOptions();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    private final UnaryOperator<String> path;
    private final @Nullable Noun owner;
    private final String many;
    private final String id;
    private final List<Field> fields;
    private final List<Filter> filters;
    private final Source source;

    /** Where the items come from. */
    @FunctionalInterface
    interface Source {
        Pages read(ServerClient client, ServerPath path, int most)
                throws RefusedException, IOException, InterruptedException;
    }

    private ListCommand(
            @Nullable Noun owner,
            UnaryOperator<String> path,
            Source source,
            String many,
            String id,
            List<Field> fields,
            List<Filter> filters) {
        this.owner = owner;
        this.path = path;
        this.source = source;
        this.many = many;
        this.id = id;
        this.fields = fields;
        this.filters = filters;
    }

    /** All of a noun. */
    static CommandLine of(Noun noun) {
        return of(noun, Pages::read);
    }

    /** All of a noun, from somewhere else. */
    static CommandLine of(Noun noun, Source source) {
        return new ListCommand(null, _ -> noun.path(), source, noun.many(), noun.id(), noun.fields(), noun.filters())
                .line("Lists " + noun.one() + "s" + (noun.path().isEmpty() ? "." : ", newest first."));
    }

    /**
     * What belongs to one resource.
     *
     * @param id the field that tells the items apart
     */
    static CommandLine below(
            Noun owner, String part, String id, List<Field> fields, List<Filter> filters, String description) {
        // Versions of a job are jobs.
        var many = id.equals(owner.id()) ? owner.many() : part;
        return new ListCommand(owner, name -> owner.one(name) + "/" + part, Pages::read, many, id, fields, filters)
                .line(description);
    }

    private CommandLine line(String description) {
        var line = new CommandLine(this);
        var _ = line.getCommandSpec().usageMessage().description(description);
        filters.forEach(filter -> filter.addTo(line.getCommandSpec()));
        if (owner != null) {
            line.getCommandSpec()
                    .addPositional(PositionalParamSpec.builder()
                            .index("0")
                            .arity("1")
                            .type(String.class)
                            .paramLabel(Labels.of(owner))
                            .description("Of which " + owner.one() + ".")
                            .build());
        }
        return line;
    }

    @Override
    public Integer call() {
        if (all) {
            GivenOptions.refuse(spec, Set.of("--limit"), "with --all");
        }
        if (limit < 1) {
            throw new ParameterException(spec.commandLine(), "--limit must be at least 1, not " + limit + ".");
        }
        if (!output.isTable()) {
            GivenOptions.refuse(spec, Set.of("--no-headers"), "with -o");
        }
        var every = watch.interval(spec);
        var from = filtered();
        var most = all ? Pages.ALL : limit;
        var listing = new Listing(spec.commandLine().getOut(), output, fields, !noHeaders, this::nameOf);
        return server.call(spec, client -> {
            if (watch.areGiven()) {
                return new Watching(every, spec.commandLine().getErr())
                        .at(() ->
                                listing.refresh(source.read(client, from, most).items(), id));
            }
            var pages = source.read(client, from, most);
            listing.print(pages.items());
            if (pages.more() && output.isTable()) {
                spec.commandLine().getErr().println("There are more: --all or a greater --limit shows them.");
                spec.commandLine().getErr().flush();
            }
            return ExitCode.DONE;
        });
    }

    private String nameOf(JsonNode item) {
        return many + "/" + item.path(id).asText();
    }

    private ServerPath filtered() {
        var resource = owner == null
                ? ""
                : String.valueOf(spec.positionalParameters().getFirst().<Object>getValue());
        var from = ServerPath.of(path.apply(resource));
        for (var filter : filters) {
            var value = filter.value(spec);
            if (value != null) {
                from = from.with(filter.parameter(), value);
            }
        }
        return from;
    }
}
