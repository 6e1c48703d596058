package io.taskexec.cli.option;

import io.taskexec.cli.Durations;
import io.taskexec.cli.client.ResourceName;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/**
 * An option for a parameter of a request.
 *
 * @param parameter the name in the API; the option has hyphens
 */
public record QueryOption(String parameter, Kind kind, String description) {
    /** Conversions of the value. */
    public enum Kind {
        /** No conversion. */
        TEXT,
        /** The name of a resource, also as {@code -o name} prints it. */
        NAME,
        /** Upper case. */
        CHOICE,
        /** A time, or an age such as 2h. */
        PAST,
        /** An option without a value. */
        FLAG
    }

    private String option() {
        return "--" + parameter.replace('_', '-');
    }

    public void addTo(CommandSpec spec) {
        var option = OptionSpec.builder(option()).description(description);
        spec.addOption(
                kind == Kind.FLAG
                        ? option.type(boolean.class).arity("0").build()
                        : option.type(String.class)
                                .arity("1")
                                .paramLabel(kind == Kind.PAST ? "TIME" : parameter.toUpperCase(Locale.ROOT))
                                .build());
    }

    /** Returns the converted value; null when the option is not given. */
    public @Nullable String value(CommandSpec spec) {
        Object given = spec.findOption(option()).getValue();
        if (given == null || given.equals(false)) {
            return null;
        }
        var text = given.toString();
        return switch (kind) {
            case TEXT, FLAG -> text;
            case NAME -> ResourceName.bare(parameter + "s", text);
            case CHOICE -> text.toUpperCase(Locale.ROOT);
            case PAST -> {
                var time = Durations.past(text, Instant.now());
                if (time == null) {
                    throw new ParameterException(
                            spec.commandLine(),
                            option()
                                    + " must be a time with offset, such as 2026-03-15T18:00:00Z, or an age,"
                                    + " such as 2h, not '" + text + "'.");
                }
                yield time.toString();
            }
        };
    }
}
