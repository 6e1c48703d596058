package io.taskexec.cli;

import io.taskexec.cli.text.JsonPath;
import io.taskexec.cli.text.MalformedTextException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.TypeConversionException;

/**
 * The format of printed results.
 *
 * @param template the template of JSONPATH; null for other kinds
 */
public record OutputFormat(Kind kind, @Nullable JsonPath template) {
    static final OutputFormat TABLE = new OutputFormat(Kind.TABLE, null);

    static final String TEMPLATE = "jsonpath=";

    /** Kinds of formats. */
    public enum Kind {
        TABLE,
        JSON,
        YAML,
        NAME,
        JSONPATH
    }

    /** Parses the value of the option {@code --output}. */
    public static OutputFormat parse(String text) {
        try {
            if (text.startsWith(TEMPLATE)) {
                return new OutputFormat(Kind.JSONPATH, JsonPath.parse(text.substring(TEMPLATE.length())));
            }
        } catch (MalformedTextException e) {
            throw new TypeConversionException(String.valueOf(e.getMessage()));
        }
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "table" -> TABLE;
            case "json" -> new OutputFormat(Kind.JSON, null);
            case "yaml" -> new OutputFormat(Kind.YAML, null);
            case "name" -> new OutputFormat(Kind.NAME, null);
            default ->
                throw new TypeConversionException(
                        "expected table, json, yaml, name or jsonpath=TEMPLATE, but was '" + text + "'");
        };
    }
}
