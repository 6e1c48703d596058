package io.taskexec.cli.live;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.cli.text.AnsiStyle;
import io.taskexec.model.Json;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TopFrameTest {
    private static final Instant NOW = Instant.parse("2026-03-15T18:00:00Z");

    private static JsonNode json(String text) throws Exception {
        return Json.parse(text.replace('\'', '"'));
    }

    private static ServerSnapshot snapshot() throws Exception {
        return new ServerSnapshot(
                NOW,
                Map.of("succeeded", 12.34),
                List.of(json("{'name':'default','ready':7,'scheduled':100000,'retrying':0,"
                        + "'running':3,'more':['scheduled']}")),
                List.of(json("{'endpoint':'mail','state':'OPEN','since':'2026-03-15T17:59:00Z','reason':'TIMEOUT'}")),
                List.of(),
                List.of(json("{'execution_id':'exec_1','endpoint':'mail','completed_at':'2026-03-15T17:58:00Z',"
                        + "'error':{'type':'TIMEOUT','message':'no answer\\nat all'}}")),
                null);
    }

    @Test
    void aFrameHasWhatThereIsAndNothingElse() throws Exception {
        assertThat(String.join("\n", TopFrame.of("http://127.0.0.1:8080", snapshot(), 80, 100, AnsiStyle.PLAIN)))
                .isEqualTo("""
                taskexec at http://127.0.0.1:8080, 2026-03-15T18:00:00Z
                In a second: 12.3 succeeded

                QUEUE    READY  SCHEDULED  RETRYING  RUNNING
                default      7    100000+         0        3

                BREAKER  STATE  SINCE   TRIED  REASON
                mail     OPEN   1m ago         TIMEOUT

                LAST FAILURES  ENDPOINT  WHEN    ERROR    MESSAGE
                exec_1         mail      2m ago  TIMEOUT  no answer at all""");
    }

    @Test
    void aFrameFitsTheTerminal() throws Exception {
        assertThat(TopFrame.of("http://127.0.0.1:8080", snapshot(), 30, 6, AnsiStyle.PLAIN))
                .hasSize(6)
                .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(30));
    }
}
