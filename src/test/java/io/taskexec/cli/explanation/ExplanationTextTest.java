package io.taskexec.cli.explanation;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.taskexec.cli.text.AnsiStyle;
import io.taskexec.model.Json;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class ExplanationTextTest {
    private static final String EXPLANATION = """
            {"status": "QUEUED", "reason": "queue_paused", "message": "The queue 'mail' is paused.", "reasons": [
              {"code": "queue_paused", "message": "The queue 'mail' is paused.", "since": "2026-11-23T10:00:00Z",
               "until": "2026-11-23T12:00:00Z", "paused_by": "ops"},
              {"code": "ready", "message": "It is \\u001b[31mdue."}]}
            """;

    @Test
    void theFirstReasonComesInWordsAndAllInATableWithTheirFactsBelow() throws JsonProcessingException {
        var now = Instant.parse("2026-11-23T11:00:00Z");

        var lines = ExplanationText.lines(Json.parse(EXPLANATION), 200, AnsiStyle.PLAIN, now);

        assertThat(lines)
                .hasSize(7)
                .startsWith("QUEUED: The queue 'mail' is paused.", "", "REASON        SINCE   UNTIL  EXPLANATION")
                .contains("queue_paused: paused_by ops");
        assertThat(lines.get(3)).startsWith("queue_paused  1h ago  in 1h  The queue 'mail'");
        assertThat(lines.get(4)).startsWith("ready").doesNotContain("\u001b");
    }
}
