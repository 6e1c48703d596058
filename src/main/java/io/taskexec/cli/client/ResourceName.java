package io.taskexec.cli.client;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParameterException;

/** Names the resource of a command: by its name or id, or a job by its endpoint and its key. */
public final class ResourceName {
    private static final String ENDPOINT = "--endpoint";
    private static final String KEY = "--key";

    /** Clients and servers resolve them as parts of a path, however they are encoded. */
    private static final Set<String> DOTS = Set.of(".", "..");

    private final CommandSpec spec;
    private final PositionalParamSpec name;
    private final boolean takesKey;

    private ResourceName(CommandSpec spec, boolean takesKey, String label) {
        this.spec = spec;
        this.takesKey = takesKey;
        this.name = PositionalParamSpec.builder()
                .type(String.class)
                .arity(takesKey ? "0..1" : "1")
                .required(!takesKey)
                .paramLabel(label)
                .description("Name or id, as 'list' shows it" + (takesKey ? "; or --endpoint and --key." : "."))
                .build();
        spec.addPositional(name);
    }

    /** Removes the noun in front of a name or id, which {@code -o name} prints. */
    public static String bare(String noun, String name) {
        return name.startsWith(noun + "/") ? name.substring(noun.length() + 1) : name;
    }

    /** Adds the parameter to a command. */
    public static ResourceName in(CommandLine command) {
        return new ResourceName(command.getCommandSpec(), false, "NAME");
    }

    /** Adds a parameter for a job to a command, and the options that take its place. */
    public static ResourceName ofJob(CommandLine command) {
        var spec = command.getCommandSpec();
        var name = new ResourceName(spec, true, "ID");
        spec.addOption(option(ENDPOINT, "NAME", "With --key: endpoint of the job."));
        spec.addOption(option(KEY, "KEY", "With --endpoint: idempotency key of the job."));
        return name;
    }

    private static OptionSpec option(String option, String label, String description) {
        return OptionSpec.builder(option)
                .type(String.class)
                .arity("1")
                .paramLabel(label)
                .description(description)
                .build();
    }

    /** Returns the path of the job by its key; null when it is named by its id. */
    public @Nullable ServerPath byKey() {
        if (!takesKey) {
            return null;
        }
        String endpoint = spec.findOption(ENDPOINT).getValue();
        String key = spec.findOption(KEY).getValue();
        if ((endpoint == null) != (key == null) || (key == null) == (name.getValue() == null)) {
            throw new ParameterException(spec.commandLine(), "Name the job by its id, or with --endpoint and --key.");
        }
        if (endpoint == null || key == null) {
            return null;
        }
        if (DOTS.contains(key)) {
            throw new ParameterException(
                    spec.commandLine(), "The key '" + key + "' cannot be part of a path: name the job by its id.");
        }
        return ServerPath.of("/endpoints")
                .below(bare("endpoints", endpoint))
                .below("keys")
                .below(key);
    }

    /** Returns the name or id; empty for a job that is named by its key. */
    public String text() {
        String text = name.getValue();
        return text == null ? "" : text;
    }
}
