package io.taskexec.cli.explanation;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.cli.ResourceColumn;
import io.taskexec.cli.text.AnsiStyle;
import io.taskexec.cli.text.FlatTree;
import io.taskexec.cli.text.PlainLine;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/** Formats an explanation: the first reason in words, a table of all, and the facts of each. */
public final class ExplanationText {
    private static final List<ResourceColumn> COLUMNS = List.of(
            ResourceColumn.of("REASON", ResourceColumn.Format.ID, "/code"),
            ResourceColumn.of("SINCE", ResourceColumn.Format.TIME, "/since"),
            ResourceColumn.of("UNTIL", ResourceColumn.Format.TIME, "/until", "/estimated_start"),
            ResourceColumn.of("EXPLANATION", ResourceColumn.Format.TEXT, "/message"));

    /** The fields that the table has. */
    private static final Set<String> IN_TABLE = Set.of("code", "message", "since", "until");

    private ExplanationText() {}

    /** Returns the lines. */
    public static List<String> lines(JsonNode explanation, int width, AnsiStyle style, Instant now) {
        var reasons = StreamSupport.stream(explanation.path("reasons").spliterator(), false)
                .toList();
        var lines = new ArrayList<String>();
        lines.add(style.applyStatus(explanation.path("status").asText()) + ": "
                + PlainLine.of(explanation.path("message").asText()));
        lines.add("");
        lines.addAll(ResourceColumn.table(COLUMNS, reasons, now, width, style));
        for (var reason : reasons) {
            var facts = facts(reason);
            if (!facts.isEmpty()) {
                lines.add("");
                lines.add(reason.path("code").asText() + ": " + facts);
            }
        }
        return lines;
    }

    private static String facts(JsonNode reason) {
        var facts = new LinkedHashMap<>(FlatTree.of(reason, false));
        facts.keySet().removeAll(IN_TABLE);
        return facts.entrySet().stream()
                .map(fact -> PlainLine.of(fact.getKey()) + " " + PlainLine.of(fact.getValue()))
                .collect(Collectors.joining(", "));
    }
}
