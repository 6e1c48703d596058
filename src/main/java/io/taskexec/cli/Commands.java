package io.taskexec.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import picocli.CommandLine;

/**
 * Commands by their names, in the order of the help. Each is made when it is needed: to read the annotations of all of them
 * takes longer than the work of most.
 */
public final class Commands {
    private final Map<String, Function<List<String>, CommandLine>> makers = new LinkedHashMap<>();

    /** Adds a command. */
    public Commands with(String name, Supplier<CommandLine> maker) {
        makers.put(name, _ -> maker.get());
        return this;
    }

    /** Adds a command with commands below it. */
    public Commands with(String name, Supplier<CommandLine> maker, Supplier<Commands> below) {
        makers.put(name, words -> below.get().addNamed(maker.get(), words));
        return this;
    }

    /** Adds a command that a class describes. */
    public Commands withObject(String name, Supplier<?> command) {
        return with(name, () -> new CommandLine(command.get()));
    }

    /** Whether one of these words is the name of a command. */
    public boolean isNamedIn(List<String> words) {
        return words.stream().anyMatch(makers::containsKey);
    }

    /** Makes the command that the words begin with, or all of them when they begin with something else. */
    public CommandLine addNamed(CommandLine parent, List<String> words) {
        var maker = words.isEmpty() ? null : makers.get(words.getFirst());
        return maker == null
                ? addAll(parent)
                : parent.addSubcommand(words.getFirst(), maker.apply(words.subList(1, words.size())));
    }

    /** Makes all commands. */
    public CommandLine addAll(CommandLine parent) {
        makers.forEach((name, maker) -> parent.addSubcommand(name, maker.apply(List.of())));
        return parent;
    }
}
