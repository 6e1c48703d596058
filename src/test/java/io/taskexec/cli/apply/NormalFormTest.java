package io.taskexec.cli.apply;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.Json;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Compares what a file says with what the API answers. */
class NormalFormTest {
    @Test
    void whatMeansTheSameIsTheSame() throws Exception {
        for (var pair : List.of(
                List.of(
                        "{\"type\":\"HTTP\",\"spec\":{\"url\":\"u\",\"method\":\"POST\"}}",
                        "{\"type\":\"HTTP\",\"queue\":\"default\",\"version\":3,\"created_at\":\"x\","
                                + "\"spec\":{\"url\":\"u\",\"method\":\"POST\",\"headers\":{},\"timeout_ms\":30000,"
                                + "\"expected_status_codes\":[200,201,202,204]},\"retry_policy\":{\"max_attempts\":1,"
                                + "\"backoff\":\"exponential\",\"initial_delay_ms\":1000,\"max_delay_ms\":60000}}"),
                List.of(
                        "{\"type\":\"HTTP\",\"spec\":{\"url\":\"u\",\"method\":\"POST\",\"expected_status_codes\":[]}}",
                        "{\"type\":\"HTTP\",\"spec\":{\"url\":\"u\",\"method\":\"POST\","
                                + "\"expected_status_codes\":[200,201,202,204]}}"),
                List.of(
                        "{\"type\":\"KAFKA\",\"config\":null,\"retry_policy\":{\"initial_delay_ms\":90000},\"spec\":"
                                + "{\"bootstrap_servers\":\"b\",\"topic\":\"t\","
                                + "\"cloud_events\":{\"type\":\"io.taskexec.job\"}}}",
                        "{\"type\":\"KAFKA\",\"retry_policy\":{\"initial_delay_ms\":90000,\"max_delay_ms\":90000},"
                                + "\"spec\":{\"bootstrap_servers\":\"b\",\"topic\":\"t\","
                                + "\"cloud_events\":true,\"acks\":\"all\"}}"),
                List.of(
                        "{\"type\":\"WORKER\",\"spec\":{}}",
                        "{\"type\":\"WORKER\",\"queue\":\"worker:resize\",\"version\":1,\"spec\":{},"
                                + "\"retry_policy\":{\"max_attempts\":1,\"backoff\":\"exponential\"}}"))) {
            assertThat(FieldDiff.between(
                            ResourceKind.ENDPOINT.normal(Json.parse(pair.get(0))),
                            ResourceKind.ENDPOINT.normal(Json.parse(pair.get(1)))))
                    .isEmpty();
        }
        assertThat(FieldDiff.between(
                        ResourceKind.JOB.normal(Json.parse(
                                "{\"every\":\"PT60M\",\"priority\":4.0,\"ends_at\":\"2030-01-01T01:00:00+01:00\","
                                        + "\"tags\":[\"b\",\"a\"],\"jitter\":\"PT0S\"}")),
                        ResourceKind.JOB.normal(
                                Json.parse("{\"every\":\"PT1H\",\"priority\":4,\"ends_at\":\"2030-01-01T00:00:00Z\","
                                        + "\"tags\":[\"a\",\"b\"],\"overlap\":\"ALLOW\","
                                        + "\"catch_up\":{\"mode\":\"ALL\",\"max\":1000}}"))))
                .isEmpty();
    }

    @Test
    void aWorkflowIsTheSameAsTheApiShowsIt() throws Exception {
        var jobs = """
                {"b": {"endpoint": "e", "depends_on": ["c", "a"], "ttl": "PT60M", "delay": "PT0S", "priority": 4,
                  "tags": [], "trigger_rule": "all_success"}, "a": {"endpoint": "e"}, "c": {"endpoint": "e"}}""";
        var shown = """
                {"jobs": {"a": {"endpoint": "e"}, "c": {"endpoint": "e"},
                  "b": {"endpoint": "e", "depends_on": ["a", "c"], "ttl": "PT1H"}}, "deadline": "PT24H"}""";
        var definition = "{\"jobs\": %s, \"deadline\": \"P1D\", \"failure_policy\": \"%s\"}";
        var view = "{\"name\": \"w\", \"version\": 3, \"queue\": \"default\", \"spec\": %s}".formatted(shown);

        assertThat(FieldDiff.between(
                        ResourceKind.WORKFLOW_DEFINITION.normal(Json.parse(view)),
                        ResourceKind.WORKFLOW_DEFINITION.normal(Json.parse(definition.formatted(jobs, "continue")))))
                .isEmpty();
        assertThat(FieldDiff.between(
                        ResourceKind.WORKFLOW_DEFINITION.normal(Json.parse(view)),
                        ResourceKind.WORKFLOW_DEFINITION.normal(Json.parse(definition.formatted(jobs, "fail_fast")))))
                .containsExactly("-   failure_policy: \"continue\"", "+   failure_policy: \"fail_fast\"");
        var endpoint = "{\"type\": \"WORKFLOW\", \"spec\": %s}";
        assertThat(FieldDiff.between(
                        ResourceKind.ENDPOINT.normal(Json.parse(endpoint.formatted(shown))),
                        ResourceKind.ENDPOINT.normal(
                                Json.parse(endpoint.formatted("{\"deadline\": \"P1D\", \"jobs\": " + jobs + "}")))))
                .isEmpty();
    }

    /** The server takes only one of them. */
    @Test
    void aWordInAnotherSpellingIsAnother() throws Exception {
        var endpoint = "{\"type\":\"HTTP\",\"spec\":{\"url\":\"u\",\"method\":\"%s\"}}";

        assertThat(FieldDiff.between(
                        ResourceKind.ENDPOINT.normal(Json.parse(endpoint.formatted("POST"))),
                        ResourceKind.ENDPOINT.normal(Json.parse(endpoint.formatted("post")))))
                .containsExactly("-   spec.method: \"POST\"", "+   spec.method: \"post\"");
    }

    @Test
    void aDifferenceIsSaidFieldByField() throws Exception {
        assertThat(FieldDiff.between(
                        Json.parse("{\"a\":{\"b\":1,\"c\":\"x\"},\"d\":[1,2]}"),
                        Json.parse("{\"a\":{\"b\":2},\"d\":[1,2,\"3\"],\"e\":{}}")))
                .containsExactly("-   a.b: 1", "+   a.b: 2", "-   a.c: \"x\"", "+   d[2]: \"3\"", "+   e: {}");
    }
}
