package io.taskexec.e2e;

import static io.taskexec.e2e.ErrorAnswer.expectError;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.restassured.path.json.JsonPath;
import io.taskexec.schedule.CronSchedule;
import io.taskexec.testing.Answer;
import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Program;
import io.taskexec.testing.Received;
import io.taskexec.testing.Receiver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The virtual clock of {@code taskexec dev}. Times are a few seconds after those that are wanted, since the clock goes
 * on while work is done. {@code -Dtaskexec.clock.year=true} has a whole year of an hourly schedule too.
 */
class VirtualClockIT {
    private static final Duration LATENESS = Duration.ofMinutes(1);
    private static final Duration BOUND = Duration.ofSeconds(20);
    private static final int REFUSED = 2;
    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");
    private static final String HOURLY = "0 * * * *";

    private static final Receiver receiver = new Receiver();

    private final Path data;
    private final int port = Program.freePort();

    VirtualClockIT(@TempDir Path directory) {
        data = directory.resolve("data");
    }

    private Program.Setup dev(String... options) {
        var words = new ArrayList<>(List.of("dev", "--data-dir", data.toString(), "--port", "" + port));
        words.addAll(List.of(options));
        return Program.command(words.toArray(String[]::new));
    }

    private Program start() throws InterruptedException {
        return dev("--virtual-clock").startReady();
    }

    private Api api() throws IOException {
        return new Api(port, Files.readString(data.resolve("api-key")).strip());
    }

    /** A midnight that is far enough away. */
    private static Instant midnight() {
        return Instant.now().truncatedTo(ChronoUnit.DAYS).plus(Duration.ofDays(10));
    }

    private static JsonPath move(Api api, Map<String, String> body) {
        var response = api.post("/dev/clock", body);
        assertThat(response.statusCode()).as(response.asString()).isEqualTo(200);
        return response.jsonPath();
    }

    private static JsonPath moveTo(Api api, Instant time) {
        return move(api, Map.of("to", time.toString()));
    }

    private static Instant time(JsonPath shown, String field) {
        return OffsetDateTime.parse(shown.getString(field)).toInstant();
    }

    private static void assertAt(JsonPath execution, String field, Instant expected) {
        assertThat(time(execution, field)).as(execution.prettify()).isBetween(expected, expected.plus(LATENESS));
    }

    private static void endpoint(Api api, String name, String more) {
        var _ = api.create("/endpoints", """
                {"name": "%1$s", "type": "HTTP", "spec": {"url": "%2$s", "method": "POST"}%3$s}
                """.formatted(name, receiver.uri("/" + name), more));
    }

    private static String job(Api api, String endpoint, String more) {
        return api.create("/jobs", """
                        {"endpoint": "%s", "idempotency_key": "key", %s}
                        """.formatted(endpoint, more)).getString("job_id");
    }

    private static String execution(String job) {
        return "/executions/" + job.replace("job_", "exec_");
    }

    @Test
    void workIsDoneInTheOrderOfItsTimes() throws InterruptedException, IOException {
        var failures = new AtomicInteger();
        receiver.answer(request -> switch (request.path()) {
            case "/flaky" -> Answer.of(failures.incrementAndGet() < 3 ? 500 : 200, "");
            case "/deferred" -> Answer.of(202, "{}").with("Taskexec-Defer", "callback; timeout=21600");
            default -> Answer.of(200, "");
        });
        try (var program = start()) {
            var api = api();
            var start = midnight();
            var _ = moveTo(api, start);
            endpoint(api, "plain", "");
            endpoint(api, "flaky", """
                    , "retry_policy": {"max_attempts": 3, "backoff": "fixed", "initial_delay_ms": 5400000}""");
            endpoint(api, "deferred", """
                    , "completion": {"modes": ["callback"], "timeout": "PT6H"}""");
            var _ = api.create("/queues", Map.of("name", "paused"));
            var _ = api.act("/queues/paused/pause");
            var delayed = job(api, "plain", "\"trigger\": \"DELAYED\", \"delay\": \"PT2H30M\"");
            var flaky = job(api, "flaky", "\"trigger\": \"IMMEDIATE\"");
            var deferred = job(api, "deferred", "\"trigger\": \"IMMEDIATE\"");
            var expiring = api.create("/jobs", """
                    {"endpoint": "plain", "trigger": "IMMEDIATE", "idempotency_key": "expiring", "queue": "paused",
                     "ttl": "PT5H"}""").getString("job_id");
            var hourly = api.create("/jobs", """
                    {"endpoint": "plain", "trigger": "CRON", "cron": "15 * * * *",
                     "timezone": "UTC"}""").getString("job_id");

            var moved = move(api, Map.of("advance", "P1D"));

            assertThat(time(moved, "now")).isBetween(start.plus(Duration.ofDays(1)), start.plus(Duration.ofHours(25)));
            assertThat(moved.getInt("steps")).isBetween(29, 60);
            assertAt(api.read(execution(delayed)), "completed_at", start.plus(Duration.ofMinutes(150)));
            assertAt(api.read(execution(expiring)), "completed_at", start.plus(Duration.ofHours(5)));
            assertThat(api.read(execution(expiring)).getString("status")).isEqualTo("EXPIRED");
            assertAt(api.read(execution(deferred)), "completed_at", start.plus(Duration.ofHours(6)));
            assertThat(api.read(execution(deferred)).getString("error.type")).isEqualTo("DEFERRAL_TIMEOUT");
            assertThat(api.attemptStatuses(execution(flaky).substring(12)))
                    .containsExactly("FAILED", "FAILED", "SUCCESS");
            assertThat(time(api.read(execution(flaky)), "completed_at"))
                    .isBetween(start.plus(Duration.ofMinutes(135)), start.plus(Duration.ofMinutes(182)));
            assertThat(ticks(api, hourly)).hasSize(24);
            assertThat(receiver.requests().stream().map(Received::path).toList().subList(0, 8))
                    .contains("/flaky", "/deferred", "/plain");

            assertRetention(api, delayed);
            program.terminate();
            var _ = program.awaitExit();
            assertThat(program.errors()).isEmpty();
        }
        var plain = dev().run();
        assertThat(plain.awaitExit()).isEqualTo(REFUSED);
        assertThat(plain.err()).contains("The clock of this data directory was moved ahead: use --virtual-clock");
    }

    /** It goes by the time, with the last step at the latest. */
    private static void assertRetention(Api api, String job) throws InterruptedException {
        assertThat(api.get("/jobs/" + job).statusCode()).isEqualTo(200);
        var _ = move(api, Map.of("advance", "P20D"));
        assertThat(api.get("/jobs/" + job).statusCode()).isEqualTo(200);
        var _ = move(api, Map.of("advance", "P12D"));
        assertThat(api.get("/jobs/" + job).statusCode()).isEqualTo(404);
    }

    @Test
    void anExecutionThatHangsStopsTheClockAndIsNamed() throws InterruptedException, IOException {
        var release = new CompletableFuture<@Nullable Void>();
        receiver.answer(Answer.of(200, "").after(release));
        try (var _ = start()) {
            var api = api();
            endpoint(api, "hangs", "");
            var hanging = execution(job(api, "hangs", "\"trigger\": \"DELAYED\", \"delay\": \"PT1H\""))
                    .replace("/executions/", "");
            var first = CompletableFuture.supplyAsync(
                    () -> api.post("/dev/clock", Map.of("advance", "P1D", "max_wait", "PT8S")));
            Eventually.await(
                    "the clock moves", BOUND, () -> api.read("/dev/clock").getBoolean("advancing"));
            var second = api.post("/dev/clock", Map.of("advance", "P1D"));

            var _ = expectError(409, "CONFLICT", second);
            assertThat(second.asString()).contains("by another request");
            var _ = expectError(409, "CONFLICT", first.join());
            assertThat(first.join().asString()).contains("still running: " + hanging);
            assertThat(api.read("/dev/clock").getLong("ahead_ms"))
                    .isCloseTo(Duration.ofHours(1).toMillis(), within(LATENESS.toMillis()));
            // Its lease has not been lost by the hour that has passed.
            assertThat(api.attemptStatuses(hanging)).containsExactly("RUNNING");

            var _ = release.complete(null);
            var _ = move(api, Map.of("advance", "P1D"));
            assertThat(api.attemptStatuses(hanging)).containsExactly("SUCCESS");
        }
    }

    @Test
    void aSecondStartPrintsNoNoticesAndHistoryGoesMonthsAhead() throws InterruptedException, IOException {
        receiver.answer(Answer.of(200, ""));
        String job;
        try (var program = start()) {
            endpoint(api(), "first", "");
            job = job(api(), "first", "\"trigger\": \"IMMEDIATE\"");
            program.terminate();
            var _ = program.awaitExit();
        }
        try (var program = start()) {
            var api = api();
            Eventually.await(
                    "it has run",
                    BOUND,
                    () -> api.read(execution(job)).getString("status").equals("SUCCESS"));

            // Entries of the audit log are removed with it.
            var _ = move(api, Map.of("advance", "P40D"));
            var _ = move(api, Map.of("advance", "P10D"));
            assertThat(api.get("/jobs/" + job).statusCode()).isEqualTo(404);
            assertThat(program.output()).doesNotContain("already exists");
            assertThat(program.errors()).isEmpty();
        }
    }

    private static CompletableFuture<JsonPath> lease(Api api) {
        return CompletableFuture.supplyAsync(() -> api.post("/leases", """
                        {"worker": "w", "endpoints": ["pulled"], "wait": "PT20S"}
                        """).jsonPath(), Thread::startVirtualThread);
    }

    private static void end(Api api, String how, JsonPath lease) {
        var more = how.equals("fail") ? ", \"error\": {\"message\": \"no\"}" : "";
        var ended = api.post(
                "/leases/" + how,
                "{\"leases\": [{\"lease\": \"%s\"%s}]}".formatted(lease.getString("leases[0].lease"), more));
        assertThat(ended.jsonPath().getString("results[0].status")).isEqualTo("OK");
    }

    @Test
    void theClockWaitsForWhatAPullWorkerHolds() throws Exception {
        try (var _ = start()) {
            var api = api();
            var start = midnight();
            var _ = moveTo(api, start);
            var _ = api.create("/endpoints", """
                    {"name": "pulled", "type": "WORKER", "spec": {},
                     "retry_policy": {"max_attempts": 2, "backoff": "fixed", "initial_delay_ms": 3600000}}
                    """);
            var job = job(api, "pulled", "\"trigger\": \"IMMEDIATE\"");
            var first = lease(api).join();

            var refused = api.post("/dev/clock", Map.of("advance", "P1D", "max_wait", "PT1S"));
            var _ = expectError(409, "CONFLICT", refused);
            assertThat(refused.asString()).contains("still running: " + job.replace("job_", "exec_"));

            end(api, "fail", first);
            var waiting = lease(api);
            var moving = CompletableFuture.supplyAsync(
                    () -> move(api, Map.of("advance", "P1D")), Thread::startVirtualThread);
            var second = waiting.get(20, TimeUnit.SECONDS);
            assertThat(second.getInt("leases[0].attempt")).isEqualTo(2);
            // Long enough for a clock that does not wait.
            Thread.sleep(500);
            assertThat(moving).isNotDone();
            end(api, "complete", second);
            assertThat(time(moving.join(), "now")).isAfter(start.plus(Duration.ofDays(1)));
            // The delay of a retry has a jitter.
            assertThat(time(api.read(execution(job)), "completed_at"))
                    .isBetween(
                            start.plus(Duration.ofMinutes(40)),
                            start.plus(Duration.ofHours(1)).plus(LATENESS));
        }
    }

    @Test
    void requestsThatCannotBeFollowedAreRefused() throws InterruptedException, IOException {
        try (var _ = start()) {
            var api = api();
            for (var body : List.of(
                    "{}",
                    "{\"advance\": \"P1D\", \"to\": \"2100-01-01T00:00:00Z\"}",
                    "{\"advance\": \"PT0S\"}",
                    "{\"advance\": \"P36501D\"}",
                    "{\"to\": \"2020-01-01T00:00:00Z\"}",
                    "{\"to\": \"3000-01-01T00:00:00Z\"}",
                    "{\"advance\": \"P1D\", \"max_wait\": \"PT0.5S\"}")) {
                var _ = expectError(400, "INVALID_REQUEST", api.post("/dev/clock", body));
            }
            assertThat(api.read("/dev/clock").getLong("ahead_ms")).isZero();

            var shown = command("clock");
            assertThat(shown.out()).matches("The clock is at \\S+Z, 0s ahead\\.\\n");
            assertThat(command("clock", "advance", "40d").out()).contains(", 40d ahead.");
            assertThat(command("clock", "set", "2020-01-01T00:00:00Z").awaitExit())
                    .isNotZero();
        }
    }

    private Program command(String... words) throws InterruptedException, IOException {
        return Program.command(words)
                .with("TE_URL", "http://127.0.0.1:" + port)
                .with("TE_TOKEN", api().key())
                .run();
    }

    /** The span around each change of the next year, twice, on databases of their own. */
    @Test
    void anHourlyScheduleHasTheSameLedgerTwiceAcrossBothChangesOfTheClocks(@TempDir Path other)
            throws InterruptedException, IOException {
        receiver.answer(Answer.of(200, ""));
        var spans = new ArrayList<Span>();
        var now = Instant.now().plus(Duration.ofDays(10));
        for (var i = 0; i < 2; i++) {
            now = BERLIN.getRules().nextTransition(now).getInstant();
            spans.add(new Span(now.minus(Duration.ofMinutes(30 * 60 + 30)), now.plus(Duration.ofHours(30))));
        }
        if (Boolean.getBoolean("taskexec.clock.year")) {
            var january = OffsetDateTime.ofInstant(now, ZoneOffset.UTC).getYear() + 1;
            var start = OffsetDateTime.of(january, 1, 1, 0, 30, 0, 0, ZoneOffset.UTC)
                    .toInstant();
            spans.add(new Span(start, start.plus(Duration.ofDays(365))));
        }

        var first = ledgers(spans);
        var second = new VirtualClockIT(other).ledgers(spans);

        assertThat(second).isEqualTo(first);
        for (var i = 0; i < spans.size(); i++) {
            assertThat(first.get(i)).isEqualTo(spans.get(i).ticks());
        }
    }

    /** A span of time; its schedule begins with it. */
    private record Span(Instant start, Instant end) {
        /** The ticks and outcomes that its ledger must have. */
        List<String> ticks() {
            var schedule = CronSchedule.parse(HOURLY, BERLIN.getId());
            var ticks = new ArrayList<String>();
            for (var tick = schedule.nextTick(start); tick != null && tick.at().isBefore(end); ) {
                ticks.add(tick.at() + " FIRED");
                tick = schedule.nextTick(tick.at());
            }
            schedule.suppressed(start, end).forEach(at -> ticks.add(at + " SUPPRESSED_DST"));
            ticks.sort(null);
            return ticks;
        }
    }

    private List<List<String>> ledgers(List<Span> spans) throws InterruptedException, IOException {
        var ledgers = new ArrayList<List<String>>();
        try (var _ = dev("--virtual-clock").with("TE_RETENTION_DAYS", "400").startReady()) {
            var api = api();
            endpoint(api, "hourly", "");
            for (var span : spans) {
                var _ = moveTo(api, span.start());
                var job = api.create("/jobs", """
                        {"endpoint": "hourly", "trigger": "CRON", "cron": "%s", "timezone": "%s", "ends_at": "%s"}
                        """.formatted(HOURLY, BERLIN, span.end()))
                        .getString("job_id");
                var startedAt = System.nanoTime();
                var steps = moveTo(api, span.end()).getInt("steps");
                System.out.printf(
                        "%d steps in %d ms%n",
                        steps, Duration.ofNanos(System.nanoTime() - startedAt).toMillis());
                assertThat(api.read("/jobs/" + job + "/gaps").getList("items")).isEmpty();
                ledgers.add(ticks(api, job));
            }
        }
        return ledgers;
    }

    private static List<String> ticks(Api api, String job) {
        var ticks = new ArrayList<String>();
        var path = "/jobs/" + job + "/ticks?limit=200";
        for (var next = path; next != null; ) {
            var page = api.read(next);
            page.<Map<String, Object>>getList("items")
                    .forEach(tick -> ticks.add(tick.get("scheduled_at") + " " + tick.get("outcome")));
            var cursor = page.getString("cursor");
            next = cursor == null ? null : path + "&cursor=" + cursor;
        }
        ticks.sort(null);
        return ticks;
    }
}
