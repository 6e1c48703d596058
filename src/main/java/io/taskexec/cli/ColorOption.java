package io.taskexec.cli;

import io.taskexec.cli.text.Ink;
import io.taskexec.cli.text.Terminal;
import picocli.CommandLine.Option;

/** Whether there are colours. */
public final class ColorOption {
    @Option(
            names = "--color",
            defaultValue = "AUTO",
            description = "${COMPLETION-CANDIDATES}; AUTO is on a terminal, unless NO_COLOR is set.")
    private Ink.Choice color = Ink.Choice.AUTO;

    /** What is written with on this terminal. */
    public Ink ink(Terminal terminal) {
        return Ink.of(color, terminal, System.getenv("NO_COLOR"));
    }
}
