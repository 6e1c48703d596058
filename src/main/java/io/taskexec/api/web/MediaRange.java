package io.taskexec.api.web;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A media type of an {@code Accept} header.
 *
 * @param weight from 0, which is a refusal, to 1
 */
public record MediaRange(String type, double weight) {
    private static final String HTML = "text/html";

    /**
     * Whether HTML is named, and JSON is not liked better: browsers name it, and programs that take anything do not.
     */
    public static boolean prefersHtml(@Nullable String accept) {
        var html = weight(accept, HTML);
        return html > 0 && html >= weight(accept, "application/json");
    }

    private static double weight(@Nullable String accept, String type) {
        return accept == null
                ? 0
                : Arrays.stream(accept.split(",", -1))
                        .map(MediaRange::parse)
                        .filter(range -> range.type().equalsIgnoreCase(type))
                        .mapToDouble(MediaRange::weight)
                        .max()
                        .orElse(0);
    }

    /** A weight that is no number counts as none. */
    private static MediaRange parse(String text) {
        var parts = text.split(";", -1);
        var weight = Arrays.stream(parts)
                .skip(1)
                .map(String::strip)
                .filter(parameter -> parameter.startsWith("q="))
                .findFirst()
                .map(parameter -> parameter.substring("q=".length()))
                .map(number -> number.matches("[01](\\.\\d{0,3})?") ? Double.parseDouble(number) : 0)
                .orElse(1.0);
        return new MediaRange(parts[0].strip(), weight);
    }
}
