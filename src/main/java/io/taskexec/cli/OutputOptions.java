package io.taskexec.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.cli.text.Ink;
import io.taskexec.cli.text.Terminal;
import io.taskexec.cli.text.YamlWriter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How what a server says is printed. */
public final class OutputOptions {
    @Option(
            names = {"-o", "--output"},
            defaultValue = "TABLE",
            description = "${COMPLETION-CANDIDATES}; default: ${DEFAULT-VALUE}.")
    private Format format = Format.TABLE;

    @Mixin
    private ColorOption color = new ColorOption();

    /** The forms of what is printed. */
    public enum Format {
        TABLE,
        JSON,
        YAML
    }

    /** The form that is asked for. */
    public Format format() {
        return format;
    }

    /** Whether it is for people. */
    public boolean isTable() {
        return format == Format.TABLE;
    }

    /** What is written with on this terminal. */
    public Ink ink(Terminal terminal) {
        return color.ink(terminal);
    }

    /** A value for programs, with the end of its last line. */
    public String show(JsonNode tree) {
        return format == Format.YAML ? YamlWriter.write(tree) : tree.toPrettyString() + "\n";
    }
}
