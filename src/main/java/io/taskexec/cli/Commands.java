package io.taskexec.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import picocli.CommandLine;

/**
 * Registers commands by name, in the order of the help. Each is built on demand: reading the annotations of all
 * commands takes longer than running most of them.
 */
public final class Commands {
    private final Map<String, Function<List<String>, CommandLine>> makers = new LinkedHashMap<>();

    public Commands with(String name, Supplier<CommandLine> maker) {
        makers.put(name, _ -> maker.get());
        return this;
    }

    /** Adds a command with subcommands. */
    public Commands with(String name, Supplier<CommandLine> maker, Supplier<Commands> below) {
        makers.put(name, words -> below.get().addNamed(maker.get(), words));
        return this;
    }

    /** Adds a command whose annotations describe it. */
    public Commands withObject(String name, Supplier<?> command) {
        return with(name, () -> new CommandLine(command.get()));
    }

    /** Returns whether one of these words is the name of a command. */
    public boolean isNamedIn(List<String> words) {
        return words.stream().anyMatch(makers::containsKey);
    }

    /** Builds the command that the words begin with; all commands when there is none. */
    public CommandLine addNamed(CommandLine parent, List<String> words) {
        var maker = words.isEmpty() ? null : makers.get(words.getFirst());
        return maker == null
                ? addAll(parent)
                : parent.addSubcommand(words.getFirst(), maker.apply(words.subList(1, words.size())));
    }

    /** Builds all commands. */
    public CommandLine addAll(CommandLine parent) {
        makers.forEach((name, maker) -> parent.addSubcommand(name, maker.apply(List.of())));
        return parent;
    }
}
