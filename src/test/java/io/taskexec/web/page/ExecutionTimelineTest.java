package io.taskexec.web.page;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.model.Json;
import io.taskexec.web.chart.Timeline;
import io.taskexec.web.chart.Timeline.Bar;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class ExecutionTimelineTest {
    private static final String RETRYING = "{'status': 'PENDING', 'created_at': '2026-05-01T12:00:00Z'}";

    private static ObjectNode tree(String text) throws Exception {
        return (ObjectNode) Json.parse(text.replace('\'', '"'));
    }

    /** Two attempts of ten seconds, with ten seconds between them. */
    private static ObjectNode page(int first, String begin, String cursor) throws Exception {
        var at = Instant.parse(begin);
        return tree("""
                {'cursor': %s, 'items': [
                  {'attempt_number': %d, 'status': 'FAILED', 'started_at': '%s', 'completed_at': '%s'},
                  {'attempt_number': %d, 'status': 'FAILED', 'started_at': '%s', 'completed_at': '%s'}]}
                """.formatted(
                        cursor, first, at, at.plusSeconds(10), first + 1, at.plusSeconds(20), at.plusSeconds(30)));
    }

    /** The labels of its bars without their durations. */
    private static List<String> labels(Timeline timeline) {
        return timeline.bars().stream()
                .map(Bar::label)
                .map(label -> label.replaceFirst(",.*", ""))
                .toList();
    }

    @Test
    void anExecutionBetweenItsAttemptsWaitsBeforeAmongAndAfterThem() throws Exception {
        var timeline = ExecutionTimeline.of(tree(RETRYING), page(1, "2026-05-01T12:00:05Z", "null"), true);

        assertThat(timeline.from()).isEqualTo("2026-05-01T12:00:00Z");
        assertThat(labels(timeline))
                .containsExactly("waited", "attempt 1 failed", "waited for its retry", "attempt 2 failed", "waits");
    }

    @Test
    void whatFollowsTheLastAttemptOfAPageIsNotAWaitWhenThereAreMoreAttempts() throws Exception {
        var timeline = ExecutionTimeline.of(tree(RETRYING), page(1, "2026-05-01T12:00:05Z", "'x'"), true);

        assertThat(labels(timeline))
                .containsExactly("waited", "attempt 1 failed", "waited for its retry", "attempt 2 failed");
    }

    @Test
    void aLaterPageBeginsAtItsFirstAttempt() throws Exception {
        var timeline = ExecutionTimeline.of(tree(RETRYING), page(21, "2026-05-01T13:00:00Z", "null"), false);

        assertThat(timeline.from()).isEqualTo("2026-05-01T13:00:00Z");
        assertThat(labels(timeline))
                .containsExactly("attempt 21 failed", "waited for its retry", "attempt 22 failed", "waits");
    }

    @Test
    void anExecutionThatHasNotBegunWaitsFromItsCreation() throws Exception {
        var timeline = ExecutionTimeline.of(tree(RETRYING), tree("{'cursor': null, 'items': []}"), true);

        assertThat(labels(timeline)).containsExactly("waits");
    }
}
