package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.taskexec.model.Json;
import java.util.regex.Pattern;

/** Compares the output in a document with the printed one; ids, times and the like differ each time. */
final class ShownOutput {
    private static final Pattern ID = Pattern.compile("\\b(job|exec|req|worker|op)_[0-9a-f]{8,32}");
    private static final Pattern KEY = Pattern.compile("\\bte_[A-Za-z0-9]+");
    private static final Pattern TIME = Pattern.compile("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z");
    private static final Pattern MILLIS = Pattern.compile("(?<name>\"(?:duration|lateness)_ms\" ?: ?)\\d+");
    private static final Pattern PORT = Pattern.compile("127\\.0\\.0\\.1:\\d+");
    private static final Pattern NUMBER = Pattern.compile("(?m)^#\\d+ ");
    private static final Pattern DATA = Pattern.compile("(?m)^( +Data +)\\S+$");

    private ShownOutput() {}

    /** One JSON value in the document; the last line of what was printed. */
    static void assertSameJson(String shown, String printed) {
        var lines = printed.strip().split("\n", -1);

        assertThat(tree(alike(lines[lines.length - 1])))
                .as("printed: %s, shown: %s", printed, shown)
                .isEqualTo(tree(alike(shown)));
    }

    /** Lines of text; others may have been printed before and after them. */
    static void assertContains(String shown, String printed) {
        assertThat(alike(printed)).contains(alike(shown).strip());
    }

    private static Object tree(String json) {
        try {
            return Json.parse(json);
        } catch (JsonProcessingException e) {
            throw new AssertionError("This is not JSON: " + json, e);
        }
    }

    private static String alike(String text) {
        var ids = ID.matcher(text).replaceAll("$1_*");
        var times = TIME.matcher(ids).replaceAll("*time*");
        var millis = MILLIS.matcher(times).replaceAll("${name}0");
        var keys = KEY.matcher(millis).replaceAll("te_*");
        var ports = PORT.matcher(keys).replaceAll("127.0.0.1:*");
        var folders = DATA.matcher(ports).replaceAll("$1*");
        return NUMBER.matcher(folders).replaceAll("#* ");
    }
}
