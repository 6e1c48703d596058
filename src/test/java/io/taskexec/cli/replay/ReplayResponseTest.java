package io.taskexec.cli.replay;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.Json;
import org.junit.jupiter.api.Test;

class ReplayResponseTest {
    private static ReplayResponse recorded(String attempt) throws Exception {
        return ReplayResponse.recorded(Json.parse(attempt));
    }

    @Test
    void anAttemptHasAResponseInItsOutputOrItsError() throws Exception {
        var success = recorded("{\"output\": {\"status_code\": 201, \"body\": \"{\\\"a\\\":1}\"}}");
        var failure = recorded("{\"error\": {\"type\": \"HTTP_ERROR\", \"status_code\": 503, \"body\": \"x\\ny\"}}");

        assertThat(success.lines()).containsExactly("HTTP 201", "{", "  \"a\" : 1", "}");
        assertThat(failure.lines()).containsExactly("HTTP 503", "x", "y");
        assertThat(success.hasClassOf(new ReplayResponse(204, "", false, ""))).isTrue();
        assertThat(success.hasClassOf(failure)).isFalse();
    }

    @Test
    void anAttemptWithoutAResponseHasAReason() throws Exception {
        var timeout = recorded("{\"error\": {\"type\": \"TIMEOUT\", \"message\": \"too slow\"}}");

        assertThat(timeout.lines()).containsExactly("no response (TIMEOUT: too slow)");
        assertThat(timeout.hasClassOf(timeout)).isFalse();
        assertThat(recorded("{\"status\": \"RUNNING\"}").reason()).isEqualTo("the attempt is RUNNING");
    }

    @Test
    void whatTheServerHasNotKeptIsNotCompared() throws Exception {
        var kept = recorded("{\"output\": {\"status_code\": 200, \"body\": \"abc\", \"truncated\": true}}");
        var whole = new ReplayResponse(200, "abcdef", false, "");

        assertThat(whole.cutAs(kept).lines()).isEqualTo(kept.lines());
    }
}
