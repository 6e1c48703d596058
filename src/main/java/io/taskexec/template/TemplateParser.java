package io.taskexec.template;

import java.util.ArrayList;
import java.util.List;

/** Splits the text of a template into its segments, in one pass. */
final class TemplateParser {
    private static final String OPEN = "{{";
    private static final String ESCAPED_OPEN = "\\{{";

    private final String text;
    private final StringBuilder literal = new StringBuilder();
    private final List<Segment> segments = new ArrayList<>();

    private TemplateParser(String text) {
        this.text = text;
    }

    /** The segments; no literal is empty and no two are neighbours. Throws TemplateSyntaxException. */
    static List<Segment> parse(String text) {
        return new TemplateParser(text).segments();
    }

    private List<Segment> segments() {
        var at = 0;
        while (at < text.length()) {
            at = text.startsWith(ESCAPED_OPEN, at)
                    ? escaped(at)
                    : text.startsWith(OPEN, at) ? placeholder(at) : character(at);
        }
        flush();
        return List.copyOf(segments);
    }

    private int escaped(int at) {
        literal.append(OPEN);
        return at + ESCAPED_OPEN.length();
    }

    private int character(int at) {
        literal.append(text.charAt(at));
        return at + 1;
    }

    private int placeholder(int at) {
        flush();
        var placeholder = new PlaceholderParser(text, at + OPEN.length());
        segments.add(new Segment.Placeholder(placeholder.parse()));
        return placeholder.end();
    }

    private void flush() {
        if (!literal.isEmpty()) {
            segments.add(new Segment.Literal(literal.toString()));
            literal.setLength(0);
        }
    }
}
