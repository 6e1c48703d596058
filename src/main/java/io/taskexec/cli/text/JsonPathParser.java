package io.taskexec.cli.text;

import io.taskexec.cli.text.JsonPath.Path;
import io.taskexec.cli.text.JsonPath.Selector;
import io.taskexec.cli.text.JsonPath.TemplatePart;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses the text of a {@link JsonPath}. */
final class JsonPathParser {
    private static final String QUOTED = "'(?:[^'\\\\]|\\\\.)*+'|\"(?:[^\"\\\\]|\\\\.)*+\"";

    /** Text, or braces that contain no braces except in quotes. */
    private static final Pattern PIECE = Pattern.compile("[^{]++|\\{((?:" + QUOTED + "|[^{}'\"])*+)}");

    private static final Pattern STEP =
            Pattern.compile("\\.?\\[\\s*(?:(?<star>\\*)|(?<index>-?\\d{1,9})|(?<quoted>" + QUOTED
                    + ")|\\?\\(\\s*@(?<path>[^=!]*?)\\s*(?<operator>==|!=)\\s*(?<wanted>" + QUOTED
                    + "|[\\w.+-]+)\\s*\\))\\s*]|\\.(?<all>\\*)|\\.(?<name>(?:[^.\\[\\]\\\\\\s*]|\\\\.)+)");

    private static final Pattern ESCAPE = Pattern.compile("\\\\(.)", Pattern.DOTALL);

    private final String template;

    /** The parts of the template, and on top those of open ranges. */
    private final Deque<List<TemplatePart>> open = new ArrayDeque<>();

    private final Deque<Path> ranges = new ArrayDeque<>();

    JsonPathParser(String template) {
        this.template = template;
    }

    List<TemplatePart> parts() throws MalformedTextException {
        open.push(new ArrayList<>());
        var piece = PIECE.matcher(template);
        var read = 0;
        while (read < template.length() && piece.find(read) && piece.start() == read) {
            add(piece);
            read = piece.end();
        }
        if (read < template.length()) {
            throw wrong("'" + template.substring(read) + "' is not a path in braces");
        }
        if (!ranges.isEmpty()) {
            throw wrong("a {range} has no {end}");
        }
        return List.copyOf(open.getFirst());
    }

    private void add(MatchResult piece) throws MalformedTextException {
        if (piece.group(1) == null) {
            put(new TemplatePart.Text(piece.group()));
            return;
        }
        var inner = piece.group(1).strip();
        if (inner.startsWith("\"") || inner.startsWith("'")) {
            put(new TemplatePart.Text(unquoted(inner)));
        } else if (inner.startsWith("range ")) {
            ranges.push(path(inner.substring("range ".length()).strip()));
            open.push(new ArrayList<>());
        } else if (inner.equals("end")) {
            if (ranges.isEmpty()) {
                throw wrong("an {end} has no {range}");
            }
            var parts = List.copyOf(open.pop());
            put(new TemplatePart.Range(ranges.pop(), parts));
        } else {
            put(new TemplatePart.Values(path(inner)));
        }
    }

    private void put(TemplatePart part) {
        open.getFirst().add(part);
    }

    private Path path(String text) throws MalformedTextException {
        var steps = new ArrayList<Selector>();
        var rest = text.startsWith("$") || text.startsWith("@") ? text.substring(1) : text;
        if (text.isEmpty()) {
            throw wrong("there is nothing between the braces");
        }
        if (rest.equals(".")) {
            return new Path(List.of());
        }
        if (!rest.isEmpty() && !rest.startsWith(".") && !rest.startsWith("[")) {
            // As in kubectl.
            rest = "." + rest;
        }
        var step = STEP.matcher(rest);
        var read = 0;
        while (read < rest.length() && step.find(read) && step.start() == read) {
            steps.add(step(step));
            read = step.end();
        }
        if (read < rest.length()) {
            throw wrong("'" + rest.substring(read) + "' is not understood");
        }
        return new Path(List.copyOf(steps));
    }

    private Selector step(Matcher step) throws MalformedTextException {
        if (step.group("star") != null || step.group("all") != null) {
            return new Selector.All();
        }
        if (step.group("index") != null) {
            return new Selector.Element(Integer.parseInt(step.group("index")));
        }
        if (step.group("quoted") != null) {
            return new Selector.Member(unquoted(step.group("quoted")));
        }
        if (step.group("operator") != null) {
            var path = step.group("path");
            return new Selector.Comparison(
                    path(path.isEmpty() ? "." : path),
                    step.group("operator").equals("=="),
                    unquoted(step.group("wanted")));
        }
        return new Selector.Member(unescaped(step.group("name")));
    }

    private static String unquoted(String text) {
        return text.startsWith("'") || text.startsWith("\"") ? unescaped(text.substring(1, text.length() - 1)) : text;
    }

    private static String unescaped(String text) {
        return ESCAPE.matcher(text)
                .replaceAll(found -> Matcher.quoteReplacement(
                        switch (found.group(1)) {
                            case "n" -> "\n";
                            case "t" -> "\t";
                            case "r" -> "\r";
                            default -> found.group(1);
                        }));
    }

    private MalformedTextException wrong(String reason) {
        return new MalformedTextException("The JSONPath '" + template + "' cannot be used: " + reason + ".");
    }
}
