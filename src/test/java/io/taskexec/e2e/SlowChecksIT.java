package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.restassured.response.Response;
import io.taskexec.testing.Api;
import io.taskexec.testing.Program;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Inputs and schemas whose check would take minutes hold up only those who sent them. */
@ServerTest(own = "Its requests take all of the time that there is for checks, and it reads the log.")
class SlowChecksIT {
    private static final int ATTACKERS = 10;
    private static final int BODY = 967_000;
    private static final String TOO_MANY_STEPS = "INPUT_VALIDATION_FAILED";

    /** Of a request with the sending and reading of its body: the wait and the check together end after 10 s. */
    private static final Duration DEADLINE = Duration.ofSeconds(30);

    @Inject
    private static Receiver receiver;

    @Inject
    private static Program program;

    @Inject
    private static Api api;

    @BeforeAll
    static void register() {
        endpoint("matched", text(Collections.nCopies(400, Map.of("pattern", "^(([a-z])+.)+$"))));
        endpoint("doubled", text(Collections.nCopies(400, Map.of("pattern", "(a|a)*b"))));
        endpoint("nested", text(Collections.nCopies(400, Map.of("pattern", "^(a+)+$"))));
        endpoint("unique", Map.of("properties", Map.of("lists", Map.of("items", Map.of("uniqueItems", true)))));
        endpoint("failing", Map.of("properties", Map.of("n", Map.of("items", Map.of("type", "string")))));
        endpoint("neat", text(List.of(Map.of("pattern", "^[a-z]{1,64}$"))));
    }

    private static Map<String, ?> text(List<?> schemas) {
        return Map.of("properties", Map.of("text", Map.of("allOf", schemas)));
    }

    private static void endpoint(String name, Map<String, ?> schema) {
        var _ = api.create("/payload-specs", Map.of("name", name, "schema", schema));
        var spec = Map.of("url", receiver.uri("/").toString(), "method", "POST", "body_template", Map.of());
        var _ = api.create("/endpoints", Map.of("name", name, "type", "HTTP", "spec", spec, "payload_spec", name));
    }

    private static Response send(String endpoint, String key, String input) {
        return api.post("/jobs", """
                {"endpoint": "%s", "trigger": "IMMEDIATE", "idempotency_key": "%s", "input": %s}
                """.formatted(endpoint, key, input));
    }

    private static String text(String text) {
        return "{\"text\": \"" + text + "\"}";
    }

    @Test
    void tenAttackersHoldUpNoOtherClient() throws Exception {
        // It ends with the b that one of the expressions looks for, and the others allow.
        var longText = text("a".repeat(BODY - 1) + "b");
        var numbers = String.join(
                ",", IntStream.range(0, 2_000).mapToObj(Integer::toString).toList());
        var lists = "{\"lists\": [" + String.join(",", Collections.nCopies(95, "[" + numbers + "]")) + "]}";
        var failing = "{\"n\": [" + "1,".repeat(BODY / 2) + "1]}";
        var attacks = List.<Callable<Response>>of(
                () -> send("matched", "m", longText),
                () -> send("doubled", "d", longText),
                () -> send("nested", "n", longText),
                () -> send("unique", "u", lists),
                () -> send("failing", "f", failing));

        try (var clients = Executors.newVirtualThreadPerTaskExecutor()) {
            var sent = new ArrayList<Future<Attack>>();
            for (var i = 0; i < ATTACKERS; i++) {
                var attack = attacks.get(i % attacks.size());
                sent.add(clients.submit(() -> {
                    var begin = System.nanoTime();
                    var response = attack.call();
                    return new Attack(response, Duration.ofNanos(System.nanoTime() - begin));
                }));
            }
            var others = 0;
            while (others < 20 || sent.stream().anyMatch(attack -> !attack.isDone())) {
                // Both fail when there is no answer within ten seconds.
                assertThat(program.manage("/q/health/live").statusCode()).isEqualTo(200);
                assertThat(answer(clients.submit(neat(others))).statusCode()).isEqualTo(201);
                others++;
            }
            for (var attack : sent) {
                var response = answer(attack).response();
                assertThat(response.statusCode()).as(response.asString()).isIn(201, 200, 422, 503);
                assertThat(answer(attack).took()).isLessThan(DEADLINE);
            }
        }
        assertThat(program.errors()).isEmpty();
    }

    private static Callable<Response> neat(int number) {
        return () -> send("neat", "neat-" + number, text("abc"));
    }

    /** An answer, and how long the client waited for it. */
    private record Attack(Response response, Duration took) {}

    private static <T> T answer(Future<T> response) throws Exception {
        return response.get(10, TimeUnit.SECONDS);
    }

    @Test
    void whatTakesTooLongToCheckIsRefusedWithAReason() {
        var refused = send("matched", "alone", text("a".repeat(BODY)));

        // Whether its steps or its time are spent first depends on how fast the machine is.
        assertThat(refused.<String>path("error.code")).as(refused.asString()).isIn(TOO_MANY_STEPS, "UNAVAILABLE");
        if (refused.path("error.code").equals(TOO_MANY_STEPS)) {
            assertThat(refused.<String>path("error.details[0].pointer")).isEqualTo("/input");
            assertThat(refused.<String>path("error.details[0].message")).isEqualTo("takes too long to check");
        }
    }

    @Test
    void theJobsOfABatchShareTheTimeForChecks() {
        var jobs = IntStream.range(0, 1_000)
                .mapToObj(i -> Map.of(
                        "endpoint",
                        "doubled",
                        "trigger",
                        "IMMEDIATE",
                        "idempotency_key",
                        "batch-" + i,
                        "input",
                        Map.of("text", "a".repeat(850) + "b")))
                .toList();

        var answer = api.post("/jobs/batch", Map.of("jobs", jobs));

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.<List<Integer>>path("items.status")).contains(201, 503);
        assertThat(answer.<List<String>>path("items.error.code")).contains("UNAVAILABLE");
    }

    @Test
    void aSchemaWithTooManyRegularExpressionsIsRefused() {
        var patterns = Collections.nCopies(600, Map.of("pattern", "((a{30}){30}){10}"));

        var refused = api.post("/payload-specs", Map.of("name", "evil", "schema", Map.of("allOf", patterns)));

        assertThat(refused.statusCode()).isEqualTo(422);
        assertThat(refused.<String>path("error.code")).isEqualTo("INVALID_SCHEMA");
    }
}
