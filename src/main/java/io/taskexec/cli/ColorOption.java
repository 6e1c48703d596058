package io.taskexec.cli;

import io.taskexec.cli.text.AnsiStyle;
import io.taskexec.cli.text.Terminal;
import picocli.CommandLine.Option;

/** The option that switches colours on or off. */
public final class ColorOption {
    @Option(
            names = "--color",
            defaultValue = "AUTO",
            description = "${COMPLETION-CANDIDATES}; AUTO is on a terminal, unless NO_COLOR is set.")
    private AnsiStyle.ColorMode color = AnsiStyle.ColorMode.AUTO;

    /** Returns the style for a terminal. */
    public AnsiStyle style(Terminal terminal) {
        return AnsiStyle.of(color, terminal, System.getenv("NO_COLOR"));
    }
}
