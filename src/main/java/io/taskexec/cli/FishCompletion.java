package io.taskexec.cli;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The lines by which fish completes commands and options, since picocli writes none. */
final class FishCompletion {
    private final String program;
    private final List<String> lines = new ArrayList<>();

    private FishCompletion(String program) {
        this.program = program;
    }

    static String of(CommandSpec root) {
        var completion = new FishCompletion(root.name());
        completion.add(root, List.of());
        return completion.lines.stream().collect(Collectors.joining("\n", "", "\n"));
    }

    private void add(CommandSpec command, List<String> path) {
        var here = condition(command, path);
        // A command can have several names.
        for (var below : new LinkedHashSet<>(command.subcommands().values())) {
            var spec = below.getCommandSpec();
            lines.add("complete -c %s -f -n %s -a %s -d %s"
                    .formatted(program, quote(here), quote(spec.name()), quote(description(spec))));
            var deeper = new ArrayList<>(path);
            deeper.add(spec.name());
            add(spec, deeper);
        }
        if (!path.isEmpty()) {
            command.options().forEach(option -> lines.add(line(option, here)));
        }
    }

    /** The words of the path have been typed, and none that leads on from there. */
    private static String condition(CommandSpec command, List<String> path) {
        var typed = path.stream().map(word -> "__fish_seen_subcommand_from " + word);
        var next = String.join(" ", command.subcommands().keySet());
        var further = next.isEmpty() ? List.<String>of() : List.of("not __fish_seen_subcommand_from " + next);
        return Stream.concat(typed, further.stream()).collect(Collectors.joining("; and "));
    }

    private String line(OptionSpec option, String here) {
        var names = new StringBuilder();
        for (var name : option.names()) {
            names.append(name.startsWith("--") ? " -l " + name.substring(2) : " -s " + name.substring(1));
        }
        var value = option.arity().max() > 0 ? " -r" : "";
        return "complete -c %s -n %s%s%s -d %s"
                .formatted(program, quote(here), names, value, quote(first(option.description())));
    }

    private static String description(CommandSpec command) {
        return first(command.usageMessage().description());
    }

    private static String first(String... description) {
        return description.length == 0 ? "" : description[0].replaceAll("; default: .*|\\$\\{.*?}[;.]? ?", "");
    }

    private static String quote(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }
}
