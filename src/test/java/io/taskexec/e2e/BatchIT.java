package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.restassured.path.json.JsonPath;
import io.taskexec.testing.Api;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

@ServerTest
class BatchIT {
    private static final Duration BOUND = Duration.ofSeconds(30);
    private static final int MOST = 1000;

    @Inject
    private static Receiver receiver;

    @Inject
    private static Api api;

    @BeforeAll
    static void setUp() {
        var _ = api.create("/payload-specs", """
                {"name": "numbered", "schema": {"type": "object", "required": ["n"]}}""");
        register("batched", receiver);
    }

    private static void register(String name, Receiver target) {
        var endpoint = new HashMap<>(Api.posting(name, target.uri("/"), Map.of("max_attempts", 1)));
        endpoint.put("payload_spec", "numbered");
        var _ = api.create("/endpoints", endpoint);
    }

    @Test
    void aThousandJobsInOneCallAreAnsweredInOrderAndDelivered() throws InterruptedException {
        try (var own = new Receiver()) {
            register("thousand", own);
            var keys = IntStream.range(0, MOST).mapToObj(n -> "key-" + n).toList();

            var response = api.post("/jobs/batch", jobs("thousand", keys));
            var items = response.jsonPath();

            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(items.<Integer>getList("items.status")).isEqualTo(Collections.nCopies(MOST, 201));
            assertThat(items.<String>getList("items.job.idempotency_key")).isEqualTo(keys);
            assertThat(items.<String>getList("items.job.job_id")).doesNotHaveDuplicates();
            assertThat(own.awaitCount(MOST, BOUND))
                    .extracting(request -> request.header("Taskexec-Job-Id"))
                    .containsExactlyInAnyOrderElementsOf(items.getList("items.job.job_id"));
        }
    }

    private static Map<String, Object> jobs(String endpoint, List<String> keys) {
        return Map.of(
                "jobs",
                keys.stream().map(key -> Api.immediateJob(endpoint, key)).toList());
    }

    @Test
    void moreThanAThousandAreRefusedTogether() {
        var keys = IntStream.rangeClosed(0, MOST).mapToObj(n -> "over-" + n).toList();

        var response = api.post("/jobs/batch", jobs("batched", keys));

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.<String>path("error.code")).isEqualTo("INVALID_REQUEST");
        assertThat(response.<List<String>>path("error.details.pointer")).containsExactly("/jobs");
        var alone = api.post("/jobs", Api.immediateJob("batched", "over-0"));
        assertThat(alone.statusCode()).as("nothing was created").isEqualTo(201);
    }

    @Test
    void whatIsWrongWithOneJobDoesNotHinderTheOthers() {
        var _ = api.create("/jobs", Api.immediateJob("batched", "known"));

        var items = api.post("/jobs/batch", """
                        {"jobs": [
                          {"endpoint": "batched", "trigger": "IMMEDIATE", "idempotency_key": "good", "input": {"n": 1}},
                          {"endpoint": "nobody", "trigger": "IMMEDIATE", "idempotency_key": "k", "input": {"n": 1}},
                          {"endpoint": "batched", "trigger": "IMMEDIATE", "idempotency_key": "unfit", "input": {}},
                          {"endpoint": "batched", "trigger": "IMMEDIATE", "idempotency_key": "known",
                           "input": {"n": "known"}},
                          {"endpoint": "batched", "trigger": "IMMEDIATE", "idempotency_key": "known", "input": {"n": \
                          2}},
                          {"endpoint": "batched", "trigger": "SOMETIME", "idempotency_key": "k", "input": {"n": 1}},
                          {"endpoint": "batched", "trigger": "IMMEDIATE", "idempotency_key": "k", "colour": "red"},
                          17,
                          {"endpoint": "batched", "trigger": "IMMEDIATE", "idempotency_key": "good", "input": {"n": 1}},
                          {"endpoint": "batched", "trigger": "DELAYED", "delay": "PT1H", "idempotency_key": "last",
                           "input": {"n": 1}}
                        ]}""").jsonPath();

        assertThat(items.<Integer>getList("items.status"))
                .containsExactly(201, 404, 422, 200, 422, 400, 400, 400, 200, 201);
        assertThat(IntStream.range(0, 10).mapToObj(i -> code(items, i)))
                .containsExactly(
                        "none",
                        "ENDPOINT_NOT_FOUND",
                        "INPUT_VALIDATION_FAILED",
                        "none",
                        "IDEMPOTENCY_KEY_REUSED",
                        "INVALID_REQUEST",
                        "INVALID_REQUEST",
                        "INVALID_REQUEST",
                        "none",
                        "none");
        assertThat(items.<String>getList("items[5].error.details.pointer")).containsExactly("/jobs/5/trigger");
        assertThat(items.<String>getList("items[6].error.details.pointer")).containsExactly("/jobs/6/colour");
        assertThat(items.<String>getList("items[2].error.details.pointer")).containsExactly("/jobs/2/input");
        assertThat(items.getString("items[8].job.job_id")).isEqualTo(items.getString("items[0].job.job_id"));
        assertThat(items.getString("items[9].job.execution.status")).isEqualTo("PENDING");
    }

    private static String code(JsonPath items, int index) {
        return Objects.requireNonNullElse(items.getString("items[" + index + "].error.code"), "none");
    }

    @Test
    void everyPointerLeadsIntoTheBodyOfTheBatch() {
        var _ = api.create("/payload-specs", """
                {"name": "amounts", "schema": {"type": "object", "properties": {
                  "a/b": {"type": "array", "items": {"type": "integer"}}}}}""");
        var _ = api.create("/endpoints", """
                {"name": "amounts", "type": "HTTP", "payload_spec": "amounts",
                 "spec": {"url": "%s", "method": "POST"}}""".formatted(receiver.uri("/")));

        var items = api.post("/jobs/batch", """
                        {"jobs": [
                          {"endpoint": "amounts", "trigger": "IMMEDIATE", "idempotency_key": "1", "input": 1},
                          {"endpoint": "amounts", "trigger": "IMMEDIATE", "idempotency_key": "2",
                           "input": {"a/b": [1, "2"]}},
                          {"endpoint": "amounts", "trigger": "CRON", "cron": "@daily", "timezone": "UTC",
                           "input": {"a/b": 3}},
                          {"endpoint": "amounts", "trigger": "IMMEDIATE", "priority": 9, "c/d": 1},
                          "job"
                        ]}""").jsonPath();

        assertThat(items.<List<String>>getList("items.error.details.pointer"))
                .containsExactly(
                        List.of("/jobs/0/input"),
                        List.of("/jobs/1/input/a~1b/1"),
                        List.of("/jobs/2/input/a~1b"),
                        List.of("/jobs/3/idempotency_key", "/jobs/3/priority", "/jobs/3/c~1d"),
                        List.of("/jobs/4"));
        assertThat(items.getString("items[3].error.message")).startsWith("'/jobs/3/idempotency_key' ");
    }

    @Test
    void aBatchWithoutJobsIsRefused() {
        for (var body : List.of("{\"jobs\":[]}", "{}", "{\"jobs\":{}}", "[]")) {
            assertThat(api.post("/jobs/batch", body).statusCode()).as(body).isEqualTo(400);
        }
    }
}
