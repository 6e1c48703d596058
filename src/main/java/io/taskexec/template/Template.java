package io.taskexec.template;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A text with placeholders, parsed once and resolved in a single pass: a resolved value is never scanned for
 * placeholders again. Immutable.
 *
 * <p>The methods that resolve throw {@link UnresolvableException}; results are at most {@value #MAX_CHARACTERS}
 * characters long.
 */
public final class Template {
    /** The most characters that a template or a tree of templates may resolve to. */
    public static final int MAX_CHARACTERS = 1 << 20;

    private final List<Segment> segments;
    private final Set<Reference> references;
    private final @Nullable Reference whole;

    private Template(List<Segment> segments) {
        this.segments = segments;
        this.references = referencesOf(segments);
        this.whole = wholeOf(segments);
    }

    /** Parses {@code text}; throws TemplateSyntaxException. */
    public static Template parse(String text) {
        return new Template(TemplateParser.parse(text));
    }

    /** Its references, in order of first appearance. */
    public Set<Reference> references() {
        return references;
    }

    /** Whether it is exactly one placeholder, give or take white space around it. */
    public boolean isOnePlaceholder() {
        return whole != null;
    }

    /**
     * The value in a JSON tree: that of its placeholder, with its JSON type, when there is exactly one and nothing but
     * white space around it; else a text. May share nodes with the scope.
     */
    public JsonNode value(Scope scope) {
        return whole != null ? Lookup.find(whole, scope) : TextNode.valueOf(text(scope));
    }

    /**
     * The value as a text: strings as they are, numbers and booleans as in JSON, objects and arrays as compact JSON. A
     * null has no text and is unresolvable.
     */
    public String text(Scope scope) {
        return concatenate(scope, TextOf::value);
    }

    /**
     * Like {@link #text}, for a URL: values of jobs are percent-encoded up to the unreserved characters of RFC 3986,
     * and a dot segment from a job is unresolvable, since it would climb to another path. Values of configs
     * and secrets are inserted as they are, so that they can be a whole base URL.
     */
    public String urlText(Scope scope) {
        return concatenate(scope, TextOf::urlValue);
    }

    /**
     * Like {@link #text}, with every value percent-encoded up to the unreserved characters of RFC 3986, so that it ends
     * no part of a URL.
     */
    public String encodedText(Scope scope) {
        return concatenate(scope, TextOf::encodedValue);
    }

    /**
     * Returns the text before the first value that a job decides about, with an {@code x} for each other placeholder;
     * null when there is no such value.
     */
    public @Nullable String beforeValueOfJob() {
        var text = new StringBuilder();
        for (var segment : segments) {
            switch (segment) {
                case Segment.Literal(var literal) -> text.append(literal);
                case Segment.Placeholder(var reference) -> {
                    if (reference.namespace().isOfJob()) {
                        return text.toString();
                    }
                    text.append('x');
                }
            }
        }
        return null;
    }

    private String concatenate(Scope scope, TextOf textOf) {
        var text = new StringBuilder();
        for (var segment : segments) {
            text.append(
                    switch (segment) {
                        case Segment.Literal(var literal) -> literal;
                        case Segment.Placeholder(var reference) ->
                            textOf.text(reference, Lookup.find(reference, scope));
                    });
            if (text.length() > MAX_CHARACTERS) {
                throw tooLarge();
            }
        }
        return text.toString();
    }

    static UnresolvableException tooLarge() {
        return new UnresolvableException("the resolved template is longer than " + MAX_CHARACTERS + " characters");
    }

    private static Set<Reference> referencesOf(List<Segment> segments) {
        var references = new LinkedHashSet<Reference>();
        for (var segment : segments) {
            if (segment instanceof Segment.Placeholder(var reference)) {
                references.add(reference);
            }
        }
        return Collections.unmodifiableSet(references);
    }

    private static @Nullable Reference wholeOf(List<Segment> segments) {
        var solid = segments.stream()
                .filter(segment -> !(segment instanceof Segment.Literal(var text) && text.isBlank()))
                .toList();
        return solid.size() == 1 && solid.getFirst() instanceof Segment.Placeholder(var reference) ? reference : null;
    }
}
