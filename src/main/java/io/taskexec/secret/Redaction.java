package io.taskexec.secret;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/**
 * Takes the values of secrets out of texts, in each form that they are likely to come back in (see {@link Disguise}).
 * The end of a text is also searched for the beginning of a secret, since the text may have been cut there; a beginning
 * of less than 6 characters is not recognised. Immutable.
 */
public final class Redaction {
    /** Takes nothing out. */
    public static final Redaction NONE = new Redaction(List.of());

    /** Shorter secrets are left alone: they would be found in many a text that has nothing to do with them. */
    static final int MIN_CHARACTERS = 6;

    private static final String MARK = "[redacted]";

    private final List<String> forms;

    private Redaction(List<String> forms) {
        this.forms = forms;
    }

    /** Takes out each of {@code secrets} that has at least 6 characters. */
    public static Redaction of(Collection<String> secrets) {
        var forms = secrets.stream()
                .filter(secret -> secret.length() >= MIN_CHARACTERS)
                .flatMap(secret -> Disguise.formsOf(secret).stream())
                .filter(form -> form.length() >= MIN_CHARACTERS)
                .distinct()
                .toList();
        return forms.isEmpty() ? NONE : new Redaction(forms);
    }

    /** The text with {@code [redacted]} wherever a secret was; overlapping ones become a single mark. */
    public String redact(String text) {
        var found = find(text);
        return found.isEmpty() ? text : replace(text, found);
    }

    private List<Span> find(String text) {
        var found = new ArrayList<Span>();
        for (var form : forms) {
            for (var at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + 1)) {
                found.add(new Span(at, at + form.length()));
            }
            addCut(text, form, found);
        }
        found.sort(Comparator.comparingInt(Span::start));
        return found;
    }

    private static void addCut(String text, String form, List<Span> found) {
        for (var length = Math.min(form.length() - 1, text.length()); length >= MIN_CHARACTERS; length--) {
            var start = text.length() - length;
            if (text.regionMatches(start, form, 0, length)) {
                found.add(new Span(start, text.length()));
                return;
            }
        }
    }

    private static String replace(String text, List<Span> found) {
        var redacted = new StringBuilder();
        var end = 0;
        for (var span : found) {
            if (span.start() >= end) {
                redacted.append(text, end, span.start()).append(MARK);
            }
            end = Math.max(end, span.end());
        }
        return redacted.append(text, end, text.length()).toString();
    }

    private record Span(int start, int end) {}
}
