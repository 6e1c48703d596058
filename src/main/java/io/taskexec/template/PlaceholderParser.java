package io.taskexec.template;

import java.util.ArrayList;
import java.util.List;

/**
 * Parses what stands between the braces of a placeholder. By hand, because a regular expression would recurse once for
 * each step of the path, and the path comes from users.
 */
final class PlaceholderParser {
    private static final String CLOSE = "}}";
    private static final int MAX_INDEX_DIGITS = 9;
    private static final int MAX_QUOTED = 40;

    private final String text;
    private final int start;
    private int at;

    /** For the placeholder whose opening braces end before {@code start}. */
    PlaceholderParser(String text, int start) {
        this.text = text;
        this.start = start;
        this.at = start;
    }

    /** The reference; afterwards {@link #end()} is known. Throws TemplateSyntaxException. */
    Reference parse() {
        skipSpace();
        var namespace = namespace();
        var path = path();
        skipSpace();
        if (!text.startsWith(CLOSE, at)) {
            throw atEnd() ? unclosed() : unexpected();
        }
        at += CLOSE.length();
        return reference(namespace, path);
    }

    /** Offset of what follows the closing braces. */
    int end() {
        return at;
    }

    private Namespace namespace() {
        var from = at;
        var word = name("a namespace");
        var namespace = Namespace.named(word);
        if (namespace == null) {
            throw new TemplateSyntaxException(
                    "unknown namespace '%s' (known are %s)".formatted(quoted(word), String.join(", ", Namespace.WORDS)),
                    from);
        }
        return namespace;
    }

    private List<Step> path() {
        var path = new ArrayList<Step>();
        while (!atEnd() && (text.charAt(at) == '.' || text.charAt(at) == '[')) {
            path.add(text.charAt(at++) == '.' ? new Step.Name(name("a name")) : index());
        }
        return path;
    }

    private Step index() {
        var from = at;
        while (!atEnd() && isDigit(text.charAt(at))) {
            at++;
        }
        if (at == from || at - from > MAX_INDEX_DIGITS || atEnd() || text.charAt(at) != ']') {
            throw atEnd()
                    ? unclosed()
                    : new TemplateSyntaxException("an index is 1 to 9 digits and a closing bracket", from);
        }
        return new Step.Index(Integer.parseInt(text, from, at++, 10));
    }

    private String name(String expected) {
        var from = at;
        while (!atEnd() && isNameCharacter(text.charAt(at))) {
            at++;
        }
        if (at == from) {
            throw atEnd() ? unclosed() : new TemplateSyntaxException(expected + " is missing", from);
        }
        return text.substring(from, at);
    }

    private Reference reference(Namespace namespace, List<Step> path) {
        try {
            return new Reference(namespace, path);
        } catch (IllegalArgumentException e) {
            throw new TemplateSyntaxException(String.valueOf(e.getMessage()), start);
        }
    }

    private void skipSpace() {
        while (!atEnd() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
    }

    private boolean atEnd() {
        return at >= text.length();
    }

    private TemplateSyntaxException unclosed() {
        return new TemplateSyntaxException("'{{' is not closed by '}}' (a literal '{{' is written '\\{{')", start - 2);
    }

    private TemplateSyntaxException unexpected() {
        var character = text.substring(at, text.offsetByCodePoints(at, 1));
        return new TemplateSyntaxException("unexpected '" + character + "' in a placeholder", at);
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static boolean isNameCharacter(char c) {
        return isDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
    }

    private static String quoted(String word) {
        return word.length() <= MAX_QUOTED ? word : word.substring(0, MAX_QUOTED) + "...";
    }
}
