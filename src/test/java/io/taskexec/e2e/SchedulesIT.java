package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.restassured.response.Response;
import io.taskexec.testing.Answer;
import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerDb;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Intervals, policies, the ledger, pauses and backfills, as a stranger sees them. */
@ServerTest
class SchedulesIT {
    private static final Duration BOUND = Duration.ofSeconds(20);

    @Inject
    private static Receiver receiver;

    @Inject
    private static ServerDb db;

    @Inject
    private static Api api;

    @BeforeAll
    static void register() {
        api.endpoint("target", receiver.uri("/"), Map.of("max_attempts", 1));
    }

    @AfterEach
    void endAll() {
        api.read("/jobs?status=ACTIVE").<String>getList("items.job_id").forEach(id -> {
            var _ = api.act("/jobs/" + id + "/cancel");
        });
        receiver.answer(Answer.of(200, "{}"));
        receiver.clear();
    }

    private static String create(String fields) {
        return api.create("/jobs", "{\"endpoint\": \"target\", \"input\": {\"n\": 1}, " + fields + "}")
                .getString("job_id");
    }

    private static List<String> outcomes(String job) {
        return api.read("/jobs/" + job + "/ticks").getList("items.outcome");
    }

    /** Makes a schedule's next tick the one that was due this long ago. */
    private static void wasDue(String job, Duration ago) {
        db.execute("UPDATE schedules SET next_run_at = next_run_at - interval '%d seconds' WHERE job_id = '%s'"
                .formatted(ago.toSeconds(), Api.uuid(job)));
    }

    @Test
    void anIntervalIsDeliveredEveryTimeWithALineOfTheLedger() throws Exception {
        var job = create("\"trigger\": \"INTERVAL\", \"every\": \"PT1S\"");

        // Calls of ticks that fire together may arrive in any order.
        var _ = Eventually.await(
                "three ticks, a second apart", BOUND, () -> firstThree(job), SchedulesIT::areASecondApart);

        var shown = api.read("/jobs/" + job);
        assertThat(shown.getString("trigger")).isEqualTo("INTERVAL");
        assertThat(shown.getString("every")).isEqualTo("PT1S");
        assertThat(shown.getInt("fires")).isGreaterThanOrEqualTo(3);
        assertThat(shown.getString("catch_up.mode")).isEqualTo("ALL");
        assertThat(outcomes(job)).hasSizeGreaterThanOrEqualTo(3).containsOnly("FIRED");
        var tick = api.read("/jobs/" + job + "/ticks?limit=200").getList("items.execution_id");
        assertThat(tick).contains(receiver.requests().getFirst().header("taskexec-execution-id"));
        var gaps = api.read("/jobs/" + job + "/gaps");
        assertThat(gaps.getInt("expected")).isGreaterThanOrEqualTo(3);
        assertThat(gaps.getList("items")).isEmpty();
        assertThat(api.read("/jobs/" + job + "/status").getString("interval.every"))
                .isEqualTo("PT1S");
    }

    /** The times of the first three ticks of a schedule for which calls have arrived. */
    private static List<Instant> firstThree(String job) {
        return receiver.requests().stream()
                .filter(request -> job.equals(request.header("taskexec-job-id")))
                .map(request -> Instant.parse(request.header("taskexec-scheduled-for")))
                .sorted()
                .limit(3)
                .toList();
    }

    private static boolean areASecondApart(List<Instant> times) {
        return times.size() == 3
                && times.get(1).equals(times.get(0).plusSeconds(1))
                && times.get(2).equals(times.get(1).plusSeconds(1));
    }

    @Test
    void anUpdateOfAnIntervalKeepsItsPlaceInTime() {
        var start = Instant.now().plusSeconds(100).truncatedTo(ChronoUnit.MILLIS);
        var job = create("\"trigger\": \"INTERVAL\", \"every\": \"PT1H\", \"starts_at\": \"%s\"".formatted(start));

        var next = api.put("/jobs/" + job, "{\"every\": \"PT30M\", \"max_fires\": 7}");

        assertThat(next.statusCode()).isEqualTo(200);
        assertThat(Instant.parse(next.path("starts_at"))).isEqualTo(start);
        assertThat(Instant.parse(next.path("next_run_at"))).isEqualTo(start);
        assertThat(next.<Integer>path("max_fires")).isEqualTo(7);
        assertThat(next.<Integer>path("version")).isEqualTo(2);
    }

    @Test
    void aPatchKeepsWhatItDoesNotName() {
        var job = create("""
                "trigger": "CRON", "cron": "0 9 * * *", "timezone": "Europe/Berlin", "dst": {"gap": "SKIP"},
                "starts_at": "2030-01-01T00:00:00Z", "ends_at": "2031-01-01T00:00:00Z", "max_fires": 7,
                "catch_up": {"window": "P1D"}, "overlap": "SKIP", "jitter": "PT5S", "ttl": "PT1M", "priority": 2,
                "tags": ["a"],
                "idempotency_key": "patched"
                """);

        var next = api.patch("/jobs/" + job, """
                {"cron": "30 9 * * *", "dst": {"overlap": "BOTH"}, "catch_up": {"max": 5}, "input": {"m": [2], "n": \
                null}}
                """);

        assertThat(next.statusCode()).as(next.asString()).isEqualTo(200);
        var shown = next.jsonPath();
        assertThat(shown.getInt("version")).isEqualTo(2);
        assertThat(shown.getString("previous_version_id")).isEqualTo(job);
        assertThat(shown.getString("cron")).isEqualTo("30 9 * * *");
        assertThat(shown.getString("timezone")).isEqualTo("Europe/Berlin");
        assertThat(shown.getMap("dst")).isEqualTo(Map.of("gap", "SKIP", "overlap", "BOTH"));
        assertThat(shown.getString("starts_at")).isEqualTo("2030-01-01T00:00:00Z");
        assertThat(shown.getString("ends_at")).isEqualTo("2031-01-01T00:00:00Z");
        assertThat(shown.getInt("max_fires")).isEqualTo(7);
        assertThat(shown.getMap("catch_up")).isEqualTo(Map.of("mode", "ALL", "max", 5, "window", "PT24H"));
        assertThat(shown.getString("overlap")).isEqualTo("SKIP");
        assertThat(shown.getString("jitter")).isEqualTo("PT5S");
        assertThat(shown.getString("ttl")).isEqualTo("PT1M");
        assertThat(shown.getInt("priority")).isEqualTo(2);
        assertThat(shown.getList("tags")).containsExactly("a");
        assertThat(shown.getMap("input")).isEqualTo(Map.of("m", List.of(2)));
        assertThat(api.read("/jobs/" + job).getString("replaced_by_id")).isEqualTo(shown.getString("job_id"));
    }

    @Test
    void aNullInAPatchIsTheDefault() {
        var job = create("""
                "trigger": "INTERVAL", "every": "PT1H", "starts_at": "2030-01-01T00:00:00Z", "max_fires": 7,
                "ends_at": "2031-01-01T00:00:00Z", "catch_up": {"mode": "LATEST"}, "priority": 2, "tags": ["a"]
                """);

        var next = api.patch("/jobs/" + job, """
                {"starts_at": null, "ends_at": null, "max_fires": null, "catch_up": null, "priority": null, "tags": \
                null,
                 "input": null}
                """);

        assertThat(next.statusCode()).as(next.asString()).isEqualTo(200);
        var shown = next.jsonPath();
        assertThat(shown.getString("every")).isEqualTo("PT1H");
        assertThat(shown.getString("starts_at"))
                .as("an interval is counted from where it was")
                .isEqualTo("2030-01-01T00:00:00Z");
        assertThat(shown.getString("ends_at")).isNull();
        assertThat(shown.getString("max_fires")).isNull();
        assertThat(shown.getString("catch_up.mode")).isEqualTo("ALL");
        assertThat(shown.getInt("priority")).isEqualTo(4);
        assertThat(shown.getList("tags")).isEmpty();
        assertThat(shown.<Object>get("input")).isNull();
    }

    @Test
    void aPatchThatChangesNothingMakesNoVersion() {
        var job = create("\"trigger\": \"INTERVAL\", \"every\": \"PT1H\", \"priority\": 2");

        for (var patch : List.of(
                "{}",
                "{\"every\": \"PT1H\", \"priority\": 2, \"input\": {\"n\": 1}}",
                "{\"every\": \"PT60M\", \"input\": {\"n\": 10e-1}, \"cron\": null}")) {
            var same = api.patch("/jobs/" + job, patch);

            assertThat(same.statusCode()).as(same.asString()).isEqualTo(200);
            assertThat(same.<String>path("job_id")).isEqualTo(job);
        }
        assertThat(api.read("/jobs/" + job + "/versions").getList("items")).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '\'', textBlock = """
            {"every": null}                      | 400 | /every
            {"cron": "@daily"}                   | 400 | /cron
            {"trigger": "CRON"}                  | 400 | /trigger
            {"endpoint": "other"}                | 400 | /endpoint
            {"idempotency_key": "k"}             | 400 | /idempotency_key
            {"every": "PT0.5S"}                  | 422 | INVALID_CRON
            {"catch_up": {"mode": "LATEST"}}     | 400 | is only for the mode ALL; null removes it
            [{"op": "remove", "path": "/every"}] | 400 | must be an object
            """)
    void aPatchIsCheckedLikeAPut(String patch, int status, String expected) {
        var job = create("\"trigger\": \"INTERVAL\", \"every\": \"PT1H\", \"catch_up\": {\"max\": 5}");

        var answer = api.patch("/jobs/" + job, patch);

        assertThat(answer.statusCode()).isEqualTo(status);
        assertThat(answer.asString()).contains(expected);
        assertThat(api.read("/jobs/" + job).getString("status")).isEqualTo("ACTIVE");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '\'', textBlock = """
            {"ends_att": null}              | /ends_att         | is not a known field; did you mean ends_at?
            {"dst": {"gapp": null}}         | /dst/gapp         | is not a known field; did you mean gap?
            {"catch_up": {"maximum": null}} | /catch_up/maximum | is not a known field
            """)
    void aMisspeltNameInAPatchIsRefusedWhenItsValueIsNullToo(String patch, String pointer, String message) {
        var job = create("\"trigger\": \"CRON\", \"cron\": \"@daily\", \"timezone\": \"UTC\"");

        var answer = api.patch("/jobs/" + job, patch);

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.<List<String>>path("error.details.pointer")).containsExactly(pointer);
        assertThat(answer.<String>path("error.details[0].message")).isEqualTo(message);
    }

    @Test
    void ofTenPatchesAtOnceNoneIsLost() throws Exception {
        var job = create("\"trigger\": \"INTERVAL\", \"every\": \"PT1H\"");
        var tried = new ArrayList<Callable<Integer>>();
        for (var i = 0; i < 10; i++) {
            var patch = "{\"input\": {\"p%d\": %d}}".formatted(i, i);
            tried.add(() -> TriedAgain.whileBusy(() -> api.patch("/jobs/" + job, patch), Response::statusCode)
                    .statusCode());
        }

        var statuses = new ArrayList<Integer>();
        try (var clients = Executors.newFixedThreadPool(tried.size())) {
            for (var answer : clients.invokeAll(tried)) {
                statuses.add(answer.get());
            }
        }

        assertThat(statuses).containsOnlyOnce(200).containsOnly(200, 409);
        var versions = api.read("/jobs/" + job + "/versions");
        assertThat(versions.getList("items.version")).isEqualTo(List.of(2, 1));
        assertThat(versions.getList("items.status")).isEqualTo(List.of("ACTIVE", "RETIRED"));
        assertThat(versions.getMap("items[0].input")).hasSize(2).containsKey("n");
    }

    @Test
    void ticksOfThreeDaysAreMadeUpForAsThePolicySays() throws Exception {
        var job = create("\"trigger\": \"CRON\", \"cron\": \"@hourly\", \"timezone\": \"UTC\", \"catch_up\": {\"mode\":"
                + " \"LATEST\"}");
        wasDue(job, Duration.ofDays(3));

        var _ = receiver.awaitCount(1, BOUND);

        // One more when the hour has just begun.
        assertThat(outcomes(job).stream().filter("FIRED"::equals)).hasSizeBetween(1, 2);
        assertThat(api.read("/jobs/" + job + "/ticks?outcome=COLLAPSED&limit=200")
                        .getList("items"))
                .hasSizeBetween(71, 72);
        assertThat(api.read("/jobs/" + job + "/gaps").getList("items")).isEmpty();
    }

    @Test
    void aTickThatMustNotOverlapWaitsForTheExecutionBeforeIt() throws Exception {
        var gate = new CompletableFuture<Void>();
        receiver.answer(Answer.of(200, "{}").after(gate));
        var job = create("\"trigger\": \"INTERVAL\", \"every\": \"PT1S\", \"overlap\": \"BUFFER_ONE\"");
        var _ = receiver.awaitCount(1, BOUND);
        Eventually.await("a skipped tick", BOUND, () -> outcomes(job), found -> found.contains("SKIPPED_OVERLAP"));
        assertThat(receiver.requests()).hasSize(1);

        gate.complete(null);

        var requests = receiver.awaitCount(2, BOUND);
        var first = Instant.parse(requests.get(0).header("taskexec-scheduled-for"));
        assertThat(Instant.parse(requests.get(1).header("taskexec-scheduled-for")))
                .isEqualTo(first.plusSeconds(1));
    }

    @Test
    void aPausedScheduleDoesNotFireUntilItIsResumed() throws Exception {
        // Nothing fires before the pause.
        var start = Instant.now().plusSeconds(5).truncatedTo(ChronoUnit.MILLIS);
        var job = create("\"trigger\": \"INTERVAL\", \"every\": \"PT1S\", \"starts_at\": \"%s\"".formatted(start));
        var paused = api.post("/jobs/" + job + "/pause", "{\"reason\": \"maintenance\"}");
        assertThat(paused.statusCode()).isEqualTo(200);
        assertThat(paused.<String>path("pause.reason")).isEqualTo("maintenance");
        receiver.clear();

        Eventually.await(
                "skipped ticks",
                BOUND,
                () -> outcomes(job),
                found -> found.stream().filter("SKIPPED_PAUSED"::equals).count() >= 2);
        assertThat(receiver.requests()).isEmpty();
        var resumed = api.post("/jobs/" + job + "/resume", "");

        assertThat(resumed.<Object>path("pause")).isNull();
        var _ = receiver.awaitCount(1, BOUND);
        assertThat(api.read("/jobs/" + job + "/gaps").getList("items")).isEmpty();
    }

    @Test
    void aScheduleIsFiredOutOfTurnEvenWhilePaused() throws Exception {
        var job = create("\"trigger\": \"CRON\", \"cron\": \"0 0 1 1 *\", \"timezone\": \"UTC\"");
        var _ = api.post("/jobs/" + job + "/pause", "");
        var next = api.read("/jobs/" + job).getString("next_run_at");

        var fired = api.post("/jobs/" + job + "/trigger", "");

        assertThat(fired.statusCode()).isEqualTo(201);
        assertThat(fired.header("Location")).isEqualTo("/executions/" + fired.path("execution_id"));
        assertThat(receiver.awaitCount(1, BOUND).getFirst().header("taskexec-execution-id"))
                .isEqualTo(fired.path("execution_id"));
        assertThat(api.read("/jobs/" + job).getString("next_run_at")).isEqualTo(next);
        assertThat(outcomes(job)).isEmpty();
    }

    @Test
    void pastTicksAreMadeUpForOnce() throws Exception {
        var job = create("\"trigger\": \"CRON\", \"cron\": \"@yearly\", \"timezone\": \"UTC\"");
        var range = "{\"from\": \"2020-06-01T00:00:00Z\", \"to\": \"2025-06-01T00:00:00Z\"}";

        var first = api.post("/jobs/" + job + "/backfill", range);
        var again = api.post("/jobs/" + job + "/backfill", range);

        assertThat(first.statusCode()).isEqualTo(200);
        assertThat(first.<Integer>path("ticks")).isEqualTo(5);
        assertThat(first.<Integer>path("fired")).isEqualTo(5);
        assertThat(again.<Integer>path("fired")).isZero();
        assertThat(receiver.awaitCount(5, BOUND)).hasSize(5);
        assertThat(outcomes(job)).hasSize(5).containsOnly("FIRED");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '\'', textBlock = """
            "every": "PT0.5S"                                         | 422 | INVALID_CRON
            "every": "1 hour"                                         | 422 | INVALID_CRON
            "every": "1 hour", "priority": 9                          | 400 | /priority
            "every": "PT1H", "cron": "@daily"                         | 400 | /cron
            "every": "PT1H", "timezone": "UTC"                        | 400 | /timezone
            "every": "PT1H", "max_fires": 0                           | 400 | /max_fires
            "every": "PT1H", "overlap": "MAYBE"                       | 400 | /overlap
            "every": "PT1H", "catch_up": {"mode": "LATEST", "max": 3} | 400 | /catch_up/max
            "every": "PT1H", "catch_up": {"window": "P9999D"}         | 400 | /catch_up/window
            "every": "PT1H", "catch_up": {"maximum": 1}               | 400 | /catch_up/maximum
            "every": "PT1H", "jitter": "P2D"                          | 400 | /jitter
            "every": "PT1H", "ends_at": "2020-01-01T00:00:00Z"        | 422 | INVALID_CRON
            """)
    void aScheduleThatCannotBeMeantIsRefused(String fields, int status, String expected) {
        var answer = api.post("/jobs", "{\"endpoint\": \"target\", \"trigger\": \"INTERVAL\", " + fields + "}");

        assertThat(answer.statusCode()).isEqualTo(status);
        assertThat(answer.asString()).contains(expected);
    }

    @Test
    void whatHasNoTicksOrIsNotInForceIsAConflict() {
        var once = api.create("/jobs", """
                {"endpoint": "target", "trigger": "DELAYED", "delay": "PT1H", "idempotency_key": "once"}
                """).getString("job_id");
        var ended = create("\"trigger\": \"INTERVAL\", \"every\": \"PT1H\"");
        var _ = api.act("/jobs/" + ended + "/cancel");

        for (var job : List.of(once, ended)) {
            for (var action : List.of("pause", "resume")) {
                assertThat(api.post("/jobs/" + job + "/" + action, "").statusCode())
                        .isEqualTo(409);
            }
        }
        assertThat(api.post("/jobs/" + ended + "/trigger", "").statusCode()).isEqualTo(409);
        assertThat(api.get("/jobs/" + once + "/ticks").statusCode()).isEqualTo(409);
        assertThat(api.get("/jobs/" + once + "/gaps").statusCode()).isEqualTo(409);
        assertThat(api.get("/jobs/" + ended + "/gaps").statusCode()).isEqualTo(200);
    }
}
