package io.taskexec.secret;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Takes the values of secrets out of texts, in each notation that {@link Form} has, whatever {@link EscapeReader} knows
 * being around it. The beginning of a secret at the end of a text counts as well: the text may have been cut there. The
 * time is in proportion to the text. Immutable.
 */
public final class Redaction {
    /** Takes nothing out. */
    public static final Redaction NONE = new Redaction(Map.of());

    /** Shorter secrets are left alone: they would be found in many a text that has nothing to do with them. */
    static final int MIN_CHARACTERS = 6;

    private static final String MARK = "[redacted]";
    private static final Set<Form> ALL = Set.of(Form.values());
    private static final Set<Form> UNESCAPED = Set.of(Form.FOLDED, Form.BASE64, Form.HEX, Form.NUMBERS);
    private static final Set<Form> UNQUOTED = Set.of(Form.FOLDED, Form.BASE64);

    private final Map<Form, List<Needle>> needles;

    private Redaction(Map<Form, List<Needle>> needles) {
        this.needles = needles;
    }

    /** Takes out each of {@code secrets} that has at least 6 characters. */
    public static Redaction of(Collection<String> secrets) {
        if (secrets.isEmpty()) {
            return NONE;
        }
        var needles = secrets.stream()
                .filter(secret -> secret.length() >= MIN_CHARACTERS)
                .flatMap(secret -> EncodedForms.of(secret).stream())
                .distinct()
                .collect(Collectors.groupingBy(
                        Needle::form, () -> new EnumMap<>(Form.class), Collectors.toUnmodifiableList()));
        return needles.isEmpty() ? NONE : new Redaction(needles);
    }

    /** The text with {@code [redacted]} wherever a secret was; overlapping ones become a single mark. */
    public String redact(String text) {
        if (needles.isEmpty() || text.length() < MIN_CHARACTERS) {
            return text;
        }
        var found = find(text);
        return found.isEmpty() ? text : replace(text, found);
    }

    private List<TextSpan> find(String text) {
        var found = new ArrayList<TextSpan>();
        var asSent = DecodedText.of(text);
        search(asSent, ALL, found);
        var unescaped = asSent.unescaped();
        searchChanged(unescaped, asSent, UNESCAPED, found);
        searchChanged(unescaped.unquoted(), unescaped, UNQUOTED, found);
        var unquoted = asSent.unquoted();
        if (unquoted != asSent) {
            search(unquoted, UNQUOTED, found);
            searchChanged(unquoted.unescaped(), unquoted, UNQUOTED, found);
        }
        found.sort(Comparator.comparingInt(TextSpan::start));
        return found;
    }

    private void searchChanged(DecodedText text, DecodedText before, Set<Form> forms, List<TextSpan> found) {
        if (text != before) {
            search(text, forms, found);
        }
    }

    private void search(DecodedText text, Set<Form> forms, List<TextSpan> found) {
        needles.forEach((form, each) -> {
            if (forms.contains(form)) {
                var view = form.of(text);
                each.forEach(needle -> needle.find(view, found));
            }
        });
    }

    private static String replace(String text, List<TextSpan> found) {
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
}
