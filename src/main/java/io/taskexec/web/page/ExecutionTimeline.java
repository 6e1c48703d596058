package io.taskexec.web.page;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.model.ProgramClock;
import io.taskexec.web.chart.Timeline;
import io.taskexec.web.chart.Timeline.Bar;
import io.taskexec.web.frame.Display;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Locale;

/** Makes the timeline of an execution: its waits and its attempts, until its end or now. */
final class ExecutionTimeline {
    private ExecutionTimeline() {}

    /**
     * Draws the attempts of one page, and no wait that begins or ends on another page.
     *
     * @param page a list of the API, in the order of the attempts
     * @param isFirst whether no attempt came before those of the page
     */
    static Timeline of(ObjectNode execution, ObjectNode page, boolean isFirst) {
        var attempts = Trees.items(page);
        var begin = isFirst || attempts.isEmpty() ? time(execution, "created_at") : time(attempts.get(0), "started_at");
        var end = execution.hasNonNull("completed_at") ? time(execution, "completed_at") : ProgramClock.now();
        var bars = new ArrayList<Bar>();
        var free = begin;
        for (var attempt : attempts) {
            var began = time(attempt, "started_at");
            if (began.isAfter(free)) {
                bars.add(bar(free, began, "wait", bars.isEmpty() ? "waited" : "waited for its retry"));
            }
            var ended = attempt.hasNonNull("completed_at") ? time(attempt, "completed_at") : end;
            var status = attempt.path("status").asText().toLowerCase(Locale.ROOT);
            bars.add(bar(
                    began,
                    ended,
                    status,
                    "attempt " + attempt.path("attempt_number").asInt() + " " + status));
            free = ended;
        }
        var isOpen = !page.hasNonNull("cursor") && !execution.hasNonNull("completed_at");
        if (isOpen && (attempts.isEmpty() || isBetweenAttempts(execution))) {
            bars.add(bar(free, end, "wait", "waits"));
        }
        return new Timeline(begin, end, bars);
    }

    private static boolean isBetweenAttempts(ObjectNode execution) {
        return switch (execution.path("status").asText()) {
            case "RUNNING", "DEFERRED" -> false;
            default -> true;
        };
    }

    private static Instant time(JsonNode node, String name) {
        return Instant.parse(node.path(name).asText());
    }

    private static Bar bar(Instant from, Instant to, String style, String words) {
        var took = Math.max(0, Duration.between(from, to).toMillis());
        return new Bar(from, to, style, words + ", " + Display.millis((double) took));
    }
}
