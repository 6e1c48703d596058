package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.model.Json;
import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerDb;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Changes of jobs at the moment when they begin: each happens or is refused, and the receiver sees the same. */
@ServerTest
class TimerRacesIT {
    private static final int CLIENTS = 8;
    private static final int ROUNDS = Integer.getInteger("taskexec.races", 1000);
    /** Tens of thousands, of more keys, with {@code -Dtaskexec.replacements}. */
    private static final int REPLACEMENTS = Integer.getInteger("taskexec.replacements", 4_000);

    private static final int KEYS = Math.max(CLIENTS, REPLACEMENTS / 100);
    private static final int TEN = 10;
    private static final String BY_KEY = "/endpoints/raced/keys/";
    private static final Duration STEP = Duration.ofNanos(300_000);
    private static final Duration BOUND = Duration.ofMinutes(2);

    @Inject
    private static Api api;

    @Inject
    private static ServerDb db;

    @Inject
    private static Receiver receiver;

    @BeforeAll
    static void register() {
        api.endpoint("raced", receiver.uri("/raced"), Map.of());
    }

    @BeforeEach
    void clear() {
        receiver.clear();
    }

    /** A round, and which of its two inputs must have been delivered. */
    private record Round(String key, boolean oldRuns, boolean newRuns) {}

    @Test
    void aChangeAtTheMomentOfTheStartHappensOrIsRefused() throws Exception {
        var rounds = atOnce(CLIENTS, client -> {
            var mine = new ArrayList<Round>();
            try (var http = HttpClient.newHttpClient()) {
                // The next change comes earlier when the job has begun before this one, and later when it has not: so
                // they meet on every machine.
                var offset = Duration.ZERO;
                for (var n = client; n < ROUNDS; n += CLIENTS) {
                    var round = race(http, n, offset);
                    mine.add(round);
                    offset = round.oldRuns() ? offset.minus(STEP) : offset.plus(STEP);
                }
            }
            return mine;
        });

        var _ = Eventually.await(
                "all have ended", BOUND, () -> db.number("SELECT count(*) FROM exec_live"), left -> left == 0);
        var delivered = receiver.requests().stream()
                .collect(Collectors.groupingBy(request -> request.body(), Collectors.counting()));
        var wrong = rounds.stream()
                .filter(round -> count(delivered, round.key() + "-old") != (round.oldRuns() ? 1 : 0)
                        || count(delivered, round.key() + "-new") != (round.newRuns() ? 1 : 0))
                .toList();
        assertThat(wrong).isEmpty();
        assertThat(rounds).hasSize(ROUNDS);
        // Without both outcomes it would have been no race.
        assertThat(rounds.stream().filter(Round::oldRuns).count()).isBetween(1L, ROUNDS - 1L);
    }

    private static long count(Map<String, Long> delivered, String n) {
        return delivered.getOrDefault("{\"n\":\"" + n + "\"}", 0L);
    }

    /** @param offset from the run time to the change */
    private static Round race(HttpClient http, int n, Duration offset) throws Exception {
        var key = "race-" + n;
        var runAt = Instant.now().plusMillis(20);
        var created = send(http, "POST", "/jobs", """
                {"endpoint": "raced", "trigger": "DELAYED", "run_at": "%s", "idempotency_key": "%s",
                 "input": {"n": "%s-old"}}
                """.formatted(runAt, key, key));
        assertThat(created.status()).as(created.body().toString()).isEqualTo(201);
        var byKey = "/endpoints/raced/keys/" + key;
        var newInput = "{\"n\": \"" + key + "-new\"}";
        var left = Duration.between(Instant.now(), runAt).plus(offset);
        if (left.isPositive()) {
            Thread.sleep(left);
        }
        return switch (n % 3) {
            case 0 -> {
                var status = send(http, "PATCH", byKey, "{\"input\": " + newInput + "}")
                        .status();
                assertThat(status).isIn(200, 409);
                yield new Round(key, status == 409, status == 200);
            }
            case 1 -> {
                var status = send(http, "DELETE", byKey, "").status();
                assertThat(status).isIn(200, 409);
                yield new Round(key, status == 409, false);
            }
            default -> {
                var answer = send(http, "POST", "/jobs", """
                        {"endpoint": "raced", "trigger": "IMMEDIATE", "idempotency_key": "%s",
                         "on_conflict": "replace", "input": %s}
                        """.formatted(key, newInput));
                assertThat(answer.status()).isEqualTo(201);
                yield new Round(key, !answer.body().has("superseded_job_id"), true);
            }
        };
    }

    @Test
    void theLastOfManyReplacementsOfEachKeyRuns() throws Exception {
        var last = REPLACEMENTS / KEYS;
        var most = new long[1];
        var watch = Thread.ofVirtual().start(() -> {
            while (!Thread.interrupted()) {
                most[0] = Math.max(most[0], db.number("SELECT count(*) FROM exec_live"));
            }
        });
        var _ = atOnce(CLIENTS, client -> {
            var keys = IntStream.range(0, KEYS)
                    .filter(key -> key % CLIENTS == client)
                    .toArray();
            try (var http = HttpClient.newHttpClient()) {
                for (var round = 1; round < last; round++) {
                    // On a busy machine too, the next one comes before it begins.
                    replaceAll(http, keys, round, "PT1M");
                }
                replaceAll(http, keys, last, "PT6S");
            }
            return List.of();
        });
        watch.interrupt();
        watch.join();

        var delivered = receiver.awaitCount(KEYS, BOUND).stream().map(request -> request.body());
        assertThat(delivered)
                .containsExactlyInAnyOrderElementsOf(IntStream.range(0, KEYS)
                        .mapToObj(key -> "{\"n\":\"" + key + "-" + last + "\"}")
                        .toList());
        assertThat(most[0]).isBetween(1L, (long) KEYS);
        assertThat(db.number("SELECT count(*) FROM executions x JOIN jobs j USING (job_id)"
                        + " WHERE x.status = 'SUPERSEDED' AND j.idempotency_key LIKE 'debounced-%'"))
                .isEqualTo((long) KEYS * (last - 1));
    }

    private static void replaceAll(HttpClient http, int[] keys, int round, String delay) throws Exception {
        var jobs = IntStream.of(keys)
                .mapToObj(key -> """
                        {"endpoint": "raced", "trigger": "DELAYED", "delay": "%s", "on_conflict": "replace",
                         "idempotency_key": "debounced-%d", "input": {"n": "%d-%d"}}
                        """.formatted(delay, key, key, round))
                .collect(Collectors.joining(","));
        var answer = send(http, "POST", "/jobs/batch", "{\"jobs\": [" + jobs + "]}");
        assertThat(answer.body().findValuesAsText("status").stream().filter("201"::equals))
                .hasSize(keys.length);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void tenClientsAtOnceCreateAJobOnceAndReplaceItTenTimes(int round) throws Exception {
        var key = "same-" + round;
        try (var http = HttpClient.newHttpClient()) {
            var created = atOnce(TEN, _ -> List.of(send(http, "POST", "/jobs", tenth(key, "return", 0))));
            assertThat(created).extracting(Answer::status).containsOnlyOnce(201).containsOnly(200, 201);
            assertThat(created)
                    .extracting(answer -> answer.body().path("job_id").asText())
                    .containsOnly(created.getFirst().body().path("job_id").asText());

            var replaced = atOnce(TEN, n -> List.of(send(http, "POST", "/jobs", tenth(key, "replace", n))));
            assertThat(replaced).extracting(Answer::status).containsOnly(201);
            var _ = send(http, "DELETE", BY_KEY + key, "");
        }
        assertThat(statuses(key)).isEqualTo(Map.of("SUPERSEDED", (long) TEN, "CANCELLED", 1L));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void tenClientsAtOnceLoseNoPatchAndCancelOnce(int round) throws Exception {
        var key = "ten-" + round;
        try (var http = HttpClient.newHttpClient()) {
            var created = send(http, "POST", "/jobs", tenth(key, "return", 0));
            var id = created.body().path("job_id").asText();

            var patched = atOnce(
                    TEN, n -> List.of(send(http, "PATCH", BY_KEY + key, "{\"input\": {\"m%d\": %d}}".formatted(n, n))));
            assertThat(patched).extracting(Answer::status).containsOnly(200);
            var job = send(http, "GET", "/jobs/" + id, "").body();
            assertThat(job.path("version").asInt()).isEqualTo(1 + TEN);
            assertThat(job.path("input").size()).isEqualTo(1 + TEN);

            var replaced = atOnce(TEN, n -> List.of(send(http, "POST", "/jobs", tenth(key, "replace", n))));
            assertThat(replaced).extracting(Answer::status).containsOnly(201);
            assertThat(replaced)
                    .extracting(
                            answer -> answer.body().path("superseded_job_id").asText())
                    .doesNotHaveDuplicates()
                    .contains(id);

            var cancelled = atOnce(TEN, _ -> List.of(send(http, "DELETE", BY_KEY + key, "")));
            assertThat(cancelled)
                    .extracting(Answer::status)
                    .containsOnlyOnce(200)
                    .containsOnly(200, 404);
        }
        assertThat(statuses(key)).isEqualTo(Map.of("SUPERSEDED", (long) TEN, "CANCELLED", 1L));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void changesCancellationsAndReplacementsAtOnceAgreeWithTheirAnswers(int round) throws Exception {
        var key = "mixed-" + round;
        try (var http = HttpClient.newHttpClient()) {
            var answers = atOnce(TEN, n -> {
                var mine = new ArrayList<Map.Entry<Integer, Answer>>();
                for (var turn = n; turn < n + TEN; turn++) {
                    mine.add(Map.entry(
                            turn % 3,
                            switch (turn % 3) {
                                case 0 -> send(http, "PATCH", BY_KEY + key, "{\"input\": {\"m\": %d}}".formatted(turn));
                                case 1 -> send(http, "DELETE", BY_KEY + key, "");
                                default -> send(http, "POST", "/jobs", tenth(key, "replace", turn));
                            }));
                }
                return mine;
            });

            assertThat(answers)
                    .allSatisfy(one -> assertThat(one.getValue().status())
                            .as(one.getValue().toString())
                            .isIn(one.getKey() == 2 ? List.of(201) : List.of(200, 404, 409)));
            var created = answers.stream().filter(one -> one.getKey() == 2).count();
            var superseded = answers.stream()
                    .filter(one -> one.getValue().body().has("superseded_job_id") && one.getKey() == 2)
                    .count();
            var cancelled = answers.stream()
                    .filter(one -> one.getKey() == 1 && one.getValue().status() == 200)
                    .count();
            var left = created - superseded - cancelled;
            assertThat(left).isBetween(0L, 1L);
            assertThat(send(http, "GET", BY_KEY + key, "").status()).isEqualTo(left == 1 ? 200 : 404);
            var ended = statuses(key);
            assertThat(ended.getOrDefault("SUPERSEDED", 0L)).isEqualTo(superseded);
            assertThat(ended.getOrDefault("CANCELLED", 0L)).isEqualTo(cancelled);
            var _ = send(http, "DELETE", BY_KEY + key, "");
        }
    }

    private static String tenth(String key, String onConflict, int n) {
        return """
                {"endpoint": "raced", "delay": "PT1H", "idempotency_key": "%s", "on_conflict": "%s",
                 "input": {"n": %d}}
                """.formatted(key, onConflict, n);
    }

    private static Map<String, Long> statuses(String key) {
        return db
                .texts("SELECT x.status FROM executions x JOIN jobs j USING (job_id) WHERE j.idempotency_key = '%s'"
                        .formatted(key))
                .stream()
                .collect(Collectors.groupingBy(status -> status, Collectors.counting()));
    }

    private record Answer(int status, JsonNode body) {}

    private static Answer send(HttpClient http, String method, String path, String body) throws Exception {
        var request = HttpRequest.newBuilder(api.uri(path))
                .header("Authorization", "Bearer " + api.key())
                .header("Content-Type", method.equals("PATCH") ? "application/merge-patch+json" : "application/json")
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
                .build();
        var answer = TriedAgain.whileBusy(() -> http.send(request, BodyHandlers.ofString()), sent -> sent.statusCode());
        return new Answer(answer.statusCode(), Json.parse(answer.body()));
    }

    private interface Client<T> {
        List<T> run(int number) throws Exception;
    }

    private static <T> List<T> atOnce(int clients, Client<T> client) throws Exception {
        try (var threads = Executors.newFixedThreadPool(clients)) {
            var all = IntStream.range(0, clients)
                    .<Callable<List<T>>>mapToObj(number -> () -> client.run(number))
                    .toList();
            var results = new ArrayList<T>();
            for (var result : threads.invokeAll(all)) {
                results.addAll(result.get());
            }
            return results;
        }
    }
}
