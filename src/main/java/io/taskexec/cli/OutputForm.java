package io.taskexec.cli;

import io.taskexec.cli.text.JsonPath;
import io.taskexec.cli.text.MalformedTextException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.TypeConversionException;

/**
 * The form in which something is printed.
 *
 * @param template of JSONPATH, and of no other kind
 */
public record OutputForm(Kind kind, @Nullable JsonPath template) {
    static final OutputForm TABLE = new OutputForm(Kind.TABLE, null);

    static final String TEMPLATE = "jsonpath=";

    /** The kinds of forms. */
    public enum Kind {
        TABLE,
        JSON,
        YAML,
        NAME,
        JSONPATH
    }

    /** The form that an option names; commands convert with it. */
    public static OutputForm parse(String text) {
        try {
            if (text.startsWith(TEMPLATE)) {
                return new OutputForm(Kind.JSONPATH, JsonPath.parse(text.substring(TEMPLATE.length())));
            }
        } catch (MalformedTextException e) {
            throw new TypeConversionException(String.valueOf(e.getMessage()));
        }
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "table" -> TABLE;
            case "json" -> new OutputForm(Kind.JSON, null);
            case "yaml" -> new OutputForm(Kind.YAML, null);
            case "name" -> new OutputForm(Kind.NAME, null);
            default ->
                throw new TypeConversionException(
                        "expected table, json, yaml, name or jsonpath=TEMPLATE, but was '" + text + "'");
        };
    }
}
