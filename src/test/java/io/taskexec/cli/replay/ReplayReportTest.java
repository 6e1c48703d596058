package io.taskexec.cli.replay;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.Json;
import io.taskexec.secret.Redaction;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReplayReportTest {
    private static final String SECRET = "hunter2-hunter2";

    @Test
    void aSecretInThePathIsInNoOutput() throws Exception {
        var recorded = Json.parse("""
                {"method": "GET", "url": "https://api.example.org/bot/m-0-/send?q=m-0-", "secrets": {"m-0-": "a"}}""");
        var request = LocalRequest.of(recorded, URI.create("http://localhost:3000"), Map.of("a", SECRET));
        var response = new ReplayResponse(200, "", false, "");
        var redaction = Redaction.of(List.of(SECRET));

        var report = new ReplayReport("exec_1", 1, request, redaction::redact, response, response);

        assertThat(report.table()).startsWith("GET http://localhost:3000/bot/[redacted]/send?...\n");
        assertThat(report.json().at("/request/url").asText())
                .isEqualTo("http://localhost:3000/bot/[redacted]/send?...");
    }
}
