package io.taskexec.cli.convert;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The words of a simple command of a shell.
 *
 * @param isPlain whether nothing else is there, such as a second command; output that goes elsewhere does not count
 */
record ShellWords(List<String> words, boolean isPlain) {
    private static final String OPERATORS = "|&;()<>`\n";
    private static final Pattern REDIRECTION =
            Pattern.compile("(?:[12&]?>>?\\s*(?:/dev/null|&[12])|>>?\\s*[\\w./-]+)(?=\\s|$)");

    /** @param variables their values; others make the command something else than plain */
    static ShellWords parse(String command, Map<String, String> variables) {
        var reader = new Reader(command, variables);
        reader.readAll();
        return new ShellWords(List.copyOf(reader.words), reader.isPlain);
    }

    /** Reads quotes, escapes and variables, and passes over redirections of the output. */
    private static final class Reader {
        private final String text;
        private final Map<String, String> variables;
        private final List<String> words = new ArrayList<>();
        private final StringBuilder word = new StringBuilder();
        private boolean isWord;
        private boolean isPlain = true;
        private int at;

        Reader(String text, Map<String, String> variables) {
            this.text = text;
            this.variables = variables;
        }

        void readAll() {
            var redirection = REDIRECTION.matcher(text);
            while (at < text.length()) {
                if (!isWord && redirection.region(at, text.length()).lookingAt()) {
                    at = redirection.end();
                    continue;
                }
                var c = text.charAt(at++);
                switch (c) {
                    case ' ', '\t' -> end();
                    case '\'' -> quoted();
                    case '"' -> doubleQuoted();
                    case '\\' -> literal();
                    case '$' -> variable();
                    default -> {
                        isPlain &= OPERATORS.indexOf(c) < 0;
                        add(c);
                    }
                }
            }
            end();
        }

        private void end() {
            if (isWord) {
                words.add(word.toString());
            }
            word.setLength(0);
            isWord = false;
        }

        private void add(char c) {
            word.append(c);
            isWord = true;
        }

        private void literal() {
            if (at < text.length()) {
                add(text.charAt(at++));
            }
        }

        private void quoted() {
            isWord = true;
            var end = text.indexOf('\'', at);
            isPlain &= end >= 0;
            word.append(text, at, end < 0 ? text.length() : end);
            at = end < 0 ? text.length() : end + 1;
        }

        private void doubleQuoted() {
            isWord = true;
            while (at < text.length() && text.charAt(at) != '"') {
                var c = text.charAt(at++);
                if (c == '\\' && at < text.length() && "\"\\$`".indexOf(text.charAt(at)) >= 0) {
                    add(text.charAt(at++));
                } else if (c == '$') {
                    variable();
                } else {
                    isPlain &= c != '`';
                    add(c);
                }
            }
            isPlain &= at < text.length();
            at++;
        }

        private void variable() {
            var braces = at < text.length() && text.charAt(at) == '{';
            var start = braces ? at + 1 : at;
            var end = start;
            while (end < text.length() && (Character.isLetterOrDigit(text.charAt(end)) || text.charAt(end) == '_')) {
                end++;
            }
            var value = variables.get(text.substring(start, end));
            var isClosed = !braces || (end < text.length() && text.charAt(end) == '}');
            if (value == null || !isClosed) {
                isPlain = false;
                add('$');
                return;
            }
            word.append(value);
            isWord |= !value.isEmpty();
            at = braces ? end + 1 : end;
        }
    }
}
