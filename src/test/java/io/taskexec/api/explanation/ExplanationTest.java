package io.taskexec.api.explanation;

import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.model.PublicId;
import io.taskexec.model.delivery.Claim;
import io.taskexec.model.job.ExecutionStatus;
import io.taskexec.store.auth.AuditStore;
import io.taskexec.store.dependency.JoinStatement;
import io.taskexec.store.dependency.Joins;
import io.taskexec.store.endpoint.QueueSettingsStore;
import io.taskexec.store.endpoint.QueueStore;
import io.taskexec.store.execution.ExpiryStore;
import io.taskexec.store.execution.LimitedClaims;
import io.taskexec.store.execution.SharedClaims.Claimant;
import io.taskexec.store.execution.SharedClaims.Share;
import io.taskexec.store.flow.FlowReleases;
import io.taskexec.store.job.CancelSignal;
import io.taskexec.store.pressure.PressureStore;
import io.taskexec.store.sql.Lanes;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One test for each reason, by rows as the program writes them. */
@StoreTest
class ExplanationTest {
    private static final Duration HOUR = Duration.ofHours(1);

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private static ExplanationBed bed;
    private static QueueSettingsStore queues;

    @BeforeAll
    static void open() {
        bed = new ExplanationBed(db, rows);
        queues = new QueueSettingsStore(db.database());
        rows.endpoint(ENDPOINT).attempts(3, Duration.ofSeconds(1)).insert();
    }

    @AfterAll
    static void everyReasonHasATest() {
        bed.everyReasonWasSeen();
    }

    @BeforeEach
    void clear() {
        bed.clear();
    }

    private static Instant time(JsonNode reason, String name) {
        return Instant.parse(reason.path(name).asText());
    }

    private static Instant in(Duration time) {
        return Instant.now().plus(time);
    }

    private static void isAbout(Instant time, Instant expected) {
        assertThat(Duration.between(time, expected).abs()).isLessThan(Duration.ofMinutes(1));
    }

    @Test
    void anUnknownExecutionIsNotExplained() {
        assertThat(bed.isUnknown(UUID.randomUUID())).isTrue();
    }

    @Test
    void itsRunTimeHasNotCome() {
        var id = rows.live().dueIn(HOUR).insert();

        var reason = bed.first(id, "not_due");

        isAbout(time(reason, "until"), in(HOUR));
        assertThat(bed.codes(id)).containsExactly("not_due");
        assertThat(bed.claim()).isEmpty();
    }

    @Test
    void itIsAboutToBeClaimed() {
        var id = rows.live().insert();

        assertThat(bed.first(id, "ready").path("position").asInt()).isEqualTo(1);
        assertThat(bed.explain(id).queue()).isEqualTo("default");
        assertThat(bed.claim()).containsExactly(id);
        assertThat(bed.explain(id).reason()).isEqualTo("running");
    }

    @Test
    void othersAreAheadInItsLane() {
        bed.beat(1, 1, 7);
        rows.live().dueSince(Duration.ofSeconds(20)).insert();
        rows.live().lane(0).insert();
        rows.live().lane(5).dueSince(HOUR).insert();
        rows.live().lane(4).dueIn(HOUR).insert();
        var id = rows.live().dueSince(Duration.ofSeconds(5)).insert();

        var reason = bed.first(id, "in_lane");

        assertThat(reason.path("position").asInt()).isEqualTo(3);
        assertThat(reason.has("more")).isFalse();
        assertThat(reason.has("estimated_start")).isFalse();
        assertThat(bed.claim().indexOf(id)).isLessThan(4);
    }

    @Test
    void theStartIsEstimatedByTheRateOfItsLane() {
        bed.beat(1, 1, 7);
        for (var i = 0; i < 20; i++) {
            var ended = rows.finished()
                    .createdAgo(Duration.ofSeconds(200 - i))
                    .endedAgo(Duration.ofSeconds(20 - i))
                    .insert();
            db.execute("UPDATE executions SET started_at = completed_at WHERE execution_id = $1", ended);
        }
        for (var i = 0; i < 9; i++) {
            rows.live().dueSince(Duration.ofMinutes(1)).insert();
        }
        var id = rows.live().insert();

        var reason = bed.first(id, "in_lane");

        assertThat(reason.path("position").asInt()).isEqualTo(10);
        assertThat(reason.path("starts_per_sec").asDouble()).isBetween(0.5, 1.1);
        assertThat(Duration.between(Instant.now(), time(reason, "estimated_start")))
                .isBetween(Duration.ofSeconds(5), Duration.ofSeconds(25));
    }

    @Test
    void aPlaceIsCountedUpToALimit() {
        db.execute("""
                INSERT INTO exec_live (execution_id, job_id, lane, visible_at, run_at, created_at)
                SELECT gen_random_uuid(), gen_random_uuid(), 4, now() - interval '1 hour', now(), now()
                FROM generate_series(1, 10050)
                """);
        var id = rows.live().insert();

        var reason = bed.first(id, "in_lane");

        assertThat(reason.path("position").asInt()).isEqualTo(10_001);
        assertThat(reason.path("more").asBoolean()).isTrue();
        assertThat(reason.path("message").asText()).contains("more than 10000");
    }

    @Test
    void itRunsOnAWorker() {
        var id = rows.live().insert();
        assertThat(bed.claim()).containsExactly(id);

        var reason = bed.first(id, "running");

        assertThat(reason.path("worker_id").asText()).isEqualTo(PublicId.WORKER.show(bed.worker()));
        assertThat(reason.path("host").asText()).isEqualTo("pod-a");
        assertThat(reason.path("attempt").asInt()).isEqualTo(1);
        isAbout(time(reason, "until"), in(Duration.ofMinutes(1)));
    }

    @Test
    void itsWorkerIsSilent() {
        var id = rows.live().insert();
        assertThat(bed.claim()).containsExactly(id);
        db.execute("DELETE FROM workers");

        var reason = bed.first(id, "worker_silent");

        assertThat(reason.path("worker_id").asText()).isEqualTo(PublicId.WORKER.show(bed.worker()));
        assertThat(reason.has("last_heartbeat_at")).isFalse();
    }

    @Test
    void itsWorkerHasLostItsLease() {
        var id = rows.live().leased(UUID.randomUUID(), Duration.ofMinutes(-1)).insert();

        var reason = bed.first(id, "lease_lost");

        assertThat(reason.path("workers_lost").asInt()).isEqualTo(1);
        assertThat(bed.codes(id)).containsExactly("lease_lost");
        assertThat(bed.claim()).containsExactly(id);
        assertThat(db.number("SELECT rescues FROM exec_live")).isEqualTo(1);
    }

    @Test
    void aLostExecutionIsNotRescuedWithoutWorkers() {
        db.execute("DELETE FROM workers");
        var id = rows.live().leased(UUID.randomUUID(), Duration.ofMinutes(-1)).insert();

        assertThat(bed.codes(id)).containsExactly("lease_lost", "no_worker");
    }

    @Test
    void itWaitsForItsNextAttempt() {
        var id = rows.live().failures(1).dueIn(HOUR).insert();
        db.execute("UPDATE exec_live SET run_at = now() - interval '1 hour', started_at = now() - interval '1 minute'");
        db.execute(
                "INSERT INTO attempts (execution_id, attempt_number, status, error, started_at, completed_at)"
                        + " VALUES ($1, 1, 'FAILED', '{\"type\": \"TIMEOUT\", \"message\": \"No answer within 1 s.\"}', now(),"
                        + " now())",
                id);

        var reason = bed.first(id, "retrying");

        isAbout(time(reason, "until"), in(HOUR));
        assertThat(reason.path("error").path("type").asText()).isEqualTo("TIMEOUT");
        assertThat(reason.path("attempt").asInt()).isEqualTo(1);
        assertThat(reason.path("max_attempts").asInt()).isEqualTo(3);
        assertThat(reason.path("message").asText())
                .contains("No answer within 1 s.")
                .doesNotContain("..");
        assertThat(bed.claim()).isEmpty();
    }

    @Test
    void aWorkerHasPutItOff() {
        var id = rows.live().insert();
        var claims = bed.claims();
        var _ = await(bed.leases().handBack(claims, Duration.ofMinutes(5)));

        isAbout(time(bed.first(id, "postponed"), "until"), in(Duration.ofMinutes(5)));
    }

    private static void pause(@Nullable Instant until, @Nullable String reason) {
        var _ = await(queues.pause("default", until, reason));
    }

    @Test
    void itsQueueIsPaused() {
        var id = rows.live().insert();
        var until = Instant.now().plus(HOUR);
        pause(until, "maintenance");
        await(new AuditStore(db.database())
                .record(AuditStore.Write.of("ops", "pause", "queue", "default", "request", "127.0.0.1", null)));

        var reason = bed.first(id, "queue_paused");

        assertThat(reason.path("paused_by").asText()).isEqualTo("ops");
        assertThat(reason.path("pause_reason").asText()).isEqualTo("maintenance");
        isAbout(time(reason, "until"), until);
        assertThat(reason.path("message").asText()).contains("by ops", "maintenance");
        assertThat(await(new QueueStore(db.database()).claimable()).queues()).isEmpty();
    }

    @Test
    void aPauseThatEndsBeforeItIsDueKeepsNothing() {
        var later = rows.live().dueIn(HOUR.multipliedBy(2)).insert();
        pause(Instant.now().plus(HOUR), null);
        assertThat(bed.codes(later)).containsExactly("not_due");

        pause(null, null);

        assertThat(bed.codes(later)).containsExactly("not_due", "queue_paused");
        assertThat(bed.explain(later).reasons().getLast().has("until")).isFalse();
    }

    @Test
    void aPauseWithoutAnEntryInTheAuditLogHasNoAuthor() {
        db.execute("UPDATE queues SET paused_at = now() - interval '3 days'");

        assertThat(bed.first(rows.live().insert(), "queue_paused").has("paused_by"))
                .isFalse();
    }

    @Test
    void noWorkerDoesTheWorkOfItsRegion() {
        db.execute(
                "INSERT INTO region_status (region, number, adopted_by) VALUES ('default', 0, NULL), ('north', 1, 'south')");
        var id = rows.live().lane(Lanes.lane(0, 1, false, 4)).insert();

        var reason = bed.first(id, "no_worker");

        assertThat(reason.path("region").asText()).isEqualTo("north");
        assertThat(reason.path("adopted_by").asText()).isEqualTo("south");
        assertThat(bed.claim()).isEmpty();
        db.execute("UPDATE region_status SET adopted_by = 'default' WHERE region = 'north'");
        assertThat(bed.explain(id).reason()).isEqualTo("ready");
        db.execute("UPDATE workers SET last_seen_at = now() - interval '1 minute'");
        assertThat(bed.explain(id).reason()).isEqualTo("no_worker");
    }

    @Test
    void workersUnderPressureHoldItsPriorityBack() {
        bed.beat(10, 0, 2);
        var _ = await(new PressureStore(db.database()).set("db-load", 0.85, Duration.ofMinutes(1)));
        var id = rows.live().insert();
        var urgent = rows.live().lane(2).insert();

        var reason = bed.first(id, "pressure");

        assertThat(reason.path("pressure").path("source").asText()).isEqualTo("db-load");
        assertThat(reason.path("pressure").path("value").asDouble()).isEqualTo(0.85);
        assertThat(reason.path("priority").asInt()).isEqualTo(4);
        assertThat(reason.path("least_urgent").asInt()).isEqualTo(2);
        assertThat(bed.explain(urgent).reason()).isEqualTo("ready");
    }

    private static void breaker(String state, String changed) {
        db.execute(
                "INSERT INTO breakers VALUES ($1, $2, 1, now() - interval '1 minute', now() + $3::text::interval,"
                        + " '9 of 10 failed')",
                ENDPOINT,
                state,
                changed);
    }

    @Test
    void theBreakerOfItsEndpointIsOpen() {
        var id = rows.live().insert();
        var claims = bed.claims();
        var _ = await(bed.leases().handBack(claims, Duration.ofMinutes(5)));
        breaker("OPEN", "5 minutes");

        var reason = bed.first(id, "breaker_open");

        assertThat(bed.codes(id)).containsExactly("breaker_open");
        assertThat(reason.path("breaker").path("state").asText()).isEqualTo("OPEN");
        isAbout(time(reason.path("breaker"), "opened_at"), in(Duration.ofMinutes(-1)));
        isAbout(time(reason.path("breaker"), "retry_at"), in(Duration.ofMinutes(5)));
        isAbout(time(reason, "next_look_at"), in(Duration.ofMinutes(5)));
        db.execute("UPDATE breakers SET state = 'HALF_OPEN'");
        assertThat(bed.first(id, "breaker_open").path("message").asText()).contains("half open");
        db.execute("UPDATE breakers SET state = 'CLOSED'");
        assertThat(bed.explain(id).reason()).isEqualTo("postponed");
    }

    @Test
    void itsEndpointIsDisabled() {
        db.execute("INSERT INTO disabled_endpoints VALUES ($1, 'its receiver answered 410', now())", ENDPOINT);

        var reason = bed.first(rows.live().insert(), "endpoint_disabled");

        assertThat(reason.path("breaker").path("reason").asText()).isEqualTo("its receiver answered 410");
        assertThat(bed.codes(rows.live().dueIn(HOUR).insert())).containsExactly("not_due", "endpoint_disabled");
    }

    private static void isHeldBy(JsonNode reason, UUID... holders) {
        var ids = new ArrayList<String>();
        reason.path("held_by").forEach(id -> ids.add(id.asText()));
        assertThat(ids)
                .containsExactlyInAnyOrder(
                        Stream.of(holders).map(PublicId.EXECUTION::show).toArray(String[]::new));
    }

    @Test
    void allPlacesOfItsFlowKeyAreTaken() {
        rows.flowPolicy(ENDPOINT, "max_concurrency", "1");
        rows.live().lane(3).dueIn(Duration.ofSeconds(5)).flow("other").insert();
        var holder = rows.live().flow("acme").dueSince(HOUR).insert();
        assertThat(bed.claimKeyed()).containsExactly(holder);
        var next = rows.live().flow("acme").dueSince(Duration.ofMinutes(2)).insert();
        var last = rows.live().flow("acme").dueSince(Duration.ofMinutes(1)).insert();
        assertThat(bed.explain(next).reason()).isEqualTo("key_at_cap");
        assertThat(bed.claimKeyed()).isEmpty();

        var reason = bed.first(last, "key_at_cap");

        assertThat(reason.path("flow_key").asText()).isEqualTo("acme");
        assertThat(reason.path("limit").asInt()).isEqualTo(1);
        assertThat(reason.path("open").asInt()).isEqualTo(1);
        assertThat(reason.path("position").asInt()).isEqualTo(2);
        isHeldBy(reason, holder);
        assertThat(bed.explain(last).status()).isEqualTo(ExecutionStatus.QUEUED);
    }

    @Test
    void itsReceiverRefusesMoreAtOnce() {
        rows.flowPolicy(ENDPOINT, "max_concurrency, adaptive_limit, adaptive_at", "5, 1, now()");
        var holder = rows.live().flow("").insert();
        assertThat(bed.claimKeyed()).containsExactly(holder);

        var reason = bed.first(rows.live().parked("").insert(), "key_at_cap");

        assertThat(reason.path("limit").asInt()).isEqualTo(1);
        assertThat(reason.path("adaptive_limit").asInt()).isEqualTo(1);
        assertThat(reason.path("message").asText()).contains("refuses");
        isHeldBy(reason, holder);
    }

    @Test
    void theRateOfItsFlowKeyHasNoTokenYet() {
        rows.flowPolicy(ENDPOINT, "rate_spacing_us, rate_burst", "60000000, 1");
        assertThat(bed.claimKeyed()).isEmpty();
        var begun = rows.live().flow("acme").insert();
        assertThat(bed.claimKeyed()).containsExactly(begun);
        var next = rows.live().flow("acme").dueSince(Duration.ofSeconds(2)).insert();
        var last = rows.live().flow("acme").dueSince(Duration.ofSeconds(1)).insert();
        assertThat(bed.claimKeyed()).isEmpty();

        var reason = bed.first(next, "rate_limited");

        assertThat(reason.path("scope").asText()).isEqualTo("key");
        assertThat(Duration.between(Instant.now(), time(reason, "until")))
                .isBetween(Duration.ofSeconds(30), Duration.ofMinutes(1));
        assertThat(time(reason, "estimated_start")).isEqualTo(time(reason, "until"));
        var behind = bed.first(last, "rate_limited");
        assertThat(behind.path("position").asInt()).isEqualTo(2);
        assertThat(time(behind, "estimated_start"))
                .isEqualTo(time(behind, "until").plusSeconds(60));
    }

    @Test
    void othersAreAheadInTheLineOfItsFlowKey() {
        rows.flowPolicy(ENDPOINT, "max_concurrency, fair", "50, true");
        for (var i = 0; i < 32; i++) {
            rows.live().flow("acme").dueSince(Duration.ofMinutes(1)).insert();
        }

        var reason = bed.first(rows.live().parked("acme").insert(), "key_line");

        assertThat(reason.path("position").asInt()).isEqualTo(33);
    }

    private static void limit(String column, int value) {
        db.execute("UPDATE queues SET %s = %d WHERE queue_id = 0".formatted(column, value));
        db.execute("INSERT INTO queue_limits (queue_id) VALUES (0) ON CONFLICT DO NOTHING");
    }

    /** Claims of the default queue as far as its limits let it. */
    private static List<UUID> claimLimited() {
        var claims = new LimitedClaims(db.database(), Stores.sharedClaims(db.database()));
        var claimant = new Claimant(Lanes.PRIORITIES - 1, Duration.ofMinutes(1), bed.worker());
        return await(claims.claim(List.of(new Share(0, 10, 0, false)), 10, claimant)).answer().claims().stream()
                .map(Claim::executionId)
                .toList();
    }

    @Test
    void allPlacesOfItsQueueAreTaken() {
        limit("max_concurrency", 1);
        var holder = rows.live().insert();
        assertThat(claimLimited()).containsExactly(holder);
        var id = rows.live().insert();

        var reason = bed.first(id, "queue_at_cap");

        assertThat(reason.path("limit").asInt()).isEqualTo(1);
        isHeldBy(reason, holder);
        assertThat(claimLimited()).isEmpty();
    }

    @Test
    void theRateOfItsQueueHasNoTokenYet() {
        limit("rate_limit = 1, rate_burst = 1, rate_per_ms", 60_000);
        assertThat(claimLimited()).isEmpty();
        var begun = rows.live().insert();
        assertThat(claimLimited()).containsExactly(begun);
        var id = rows.live().insert();

        var reason = bed.first(id, "rate_limited");

        assertThat(reason.path("scope").asText()).isEqualTo("queue");
        assertThat(Duration.between(Instant.now(), time(reason, "until")))
                .isBetween(Duration.ofSeconds(30), Duration.ofMinutes(1));
        assertThat(claimLimited()).isEmpty();
    }

    @Test
    void itsQueueStartsSlowlyAfterAPause() {
        pause(null, null);
        var _ = await(queues.resume("default"));
        IntStream.range(0, 3).forEach(_ -> rows.live().insert());
        assertThat(claimLimited()).hasSizeLessThan(3);
        db.execute("UPDATE queues SET resumed_at = now()");

        var reason = bed.first(rows.live().insert(), "slow_start");

        isAbout(time(reason, "until"), in(Duration.ofSeconds(10)));
    }

    private static void waits(UUID child, int rule, UUID... parents) {
        db.execute(
                "UPDATE exec_live SET trigger_rule = $2::int, parents_open = $3::int, parents_succeeded = 0,"
                        + " parents_failed = 0, parents_skipped = 0, visible_at = " + JoinStatement.WAITING_TIME
                        + " WHERE execution_id = $1",
                child,
                rule,
                parents.length);
        for (var parent : parents) {
            db.execute(
                    "INSERT INTO job_edges VALUES ($1, $2, $3, false)",
                    child,
                    parent,
                    rule == JoinStatement.RUN ? "" : "upload");
        }
    }

    @Test
    void itWaitsForItsParents() {
        var open = rows.live().dueIn(HOUR).insert();
        var ended = rows.finished().insert();
        var id = rows.live().insert();
        waits(id, 1, open, ended);

        var reason = bed.first(id, "waiting_for_parents");

        assertThat(reason.path("parents")).hasSize(1);
        var parent = reason.path("parents").path(0);
        assertThat(parent.path("job_id").asText()).isEqualTo(PublicId.JOB.show(open));
        assertThat(parent.path("name").asText()).isEqualTo("upload");
        assertThat(parent.path("status").asText()).isEqualTo("PENDING");
        assertThat(reason.path("message").asText()).contains("1 parent: upload (PENDING)");
        assertThat(bed.explain(id).status()).isEqualTo(ExecutionStatus.WAITING);
        assertThat(bed.claim()).isEmpty();
    }

    @Test
    void aRunOfAWorkflowWaitsForItsJobs() {
        var open = rows.live().insert();
        var id = rows.live().insert();
        waits(id, JoinStatement.RUN, open);

        assertThat(bed.first(id, "waiting_for_jobs")
                        .path("parents")
                        .path(0)
                        .path("job_id")
                        .asText())
                .isEqualTo(PublicId.JOB.show(open));
        assertThat(bed.explain(id).status()).isEqualTo(ExecutionStatus.RUNNING);
    }

    @Test
    void itsTriggerRuleCannotHold() {
        var id = rows.live().insert();
        waits(id, -1);

        assertThat(bed.codes(id)).containsExactly("skipping");
    }

    @ParameterizedTest
    @CsvSource({"callback, callback", "poll, polled", "approval, person"})
    void itIsDeferred(String mode, String word) {
        var id = rows.live().dueIn(HOUR).attempt(1).insert();
        db.execute("UPDATE exec_live SET deferred = true, started_at = now()");
        db.execute(
                "INSERT INTO deferrals (execution_id, attempt, mode, poll_every_ms, poll_url, since, deadline,"
                        + " heartbeat_ms, heard_at) VALUES ($1, 1, $2::text, CASE WHEN $2::text = 'poll' THEN 5000 END,"
                        + " CASE WHEN $2::text = 'poll' THEN 'http://localhost/' END, now(), now() + interval '2 hours', 60000,"
                        + " now())",
                id,
                mode);

        var reason = bed.first(id, "deferred");

        assertThat(bed.codes(id)).containsExactly("deferred");
        assertThat(reason.path("mode").asText()).isEqualTo(mode);
        assertThat(reason.path("message").asText()).contains(word);
        isAbout(time(reason, "until"), in(HOUR.multipliedBy(2)));
        isAbout(time(reason, "silent_at"), in(Duration.ofMinutes(1)));
        assertThat(reason.has("next_look_at")).isEqualTo(mode.equals("poll"));
    }

    @Test
    void workersWereLostOverItAgainAndAgain() {
        var id = rows.live().attempt(3).rescues(2).dueIn(Duration.ofSeconds(30)).insert();
        db.execute("UPDATE exec_live SET run_at = now() - interval '1 hour'");

        assertThat(bed.first(id, "poisoned").path("workers_lost").asInt()).isEqualTo(2);
        var lost = rows.live()
                .rescues(3)
                .attempt(4)
                .leased(UUID.randomUUID(), HOUR.negated())
                .insert();
        assertThat(bed.first(lost, "lease_lost").path("message").asText()).contains("ends the execution");
    }

    @Test
    void itHasExpired() {
        var id = rows.live().insert();
        pause(null, null);
        db.execute("UPDATE exec_live SET expires_at = now() - interval '1 second'");

        assertThat(bed.codes(id)).containsExactly("expiring");
        assertThat(await(new ExpiryStore(
                                db.database(),
                                new FlowReleases(db.database(), new DueSignal()),
                                new Joins(db.database(), new DueSignal()))
                        .expire(10)))
                .isPositive();
        var reason = bed.first(id, "expired");
        assertThat(reason.path("message").asText()).contains("no attempt had begun in time");
        assertThat(bed.explain(id).queue()).isNull();
    }

    @Test
    void itHasSucceeded() {
        var reason = bed.first(rows.finished().insert(), "succeeded");

        isAbout(time(reason, "ended_at"), in(Duration.ofMinutes(-1)));
    }

    @Test
    void itHasFailed() {
        var id = rows.finished().status("FAILED").attempts(3).insert();
        db.execute("UPDATE executions SET error = '{\"type\": \"TIMEOUT\", \"message\": \"No answer.\"}'");

        var reason = bed.first(id, "dead_letter");

        assertThat(reason.path("error").path("type").asText()).isEqualTo("TIMEOUT");
        assertThat(reason.path("message").asText()).contains("3 attempts", "No answer.");
        db.execute("INSERT INTO replays VALUES ($1, $2, now())", id, UUID.randomUUID());
        assertThat(bed.first(id, "failed").path("retried_as").asText()).startsWith("exec_");
        db.execute("DELETE FROM replays");
        db.execute("UPDATE executions SET error = '{\"type\": \"WORKER_LOST\", \"message\": \"4 workers.\"}'");
        assertThat(bed.explain(id).reason()).isEqualTo("poisoned");
    }

    @Test
    void itWasCancelled() {
        var id = rows.live().insert();
        assertThat(await(Stores.cancelling(db.database(), new CancelSignal()).cancel(id, false)))
                .isTrue();
        assertThat(bed.first(id, "cancelled").has("cancelled_by")).isFalse();
        await(new AuditStore(db.database())
                .record(AuditStore.Write.of(
                        "ops", "cancel", "job", PublicId.JOB.show(id), "request", "127.0.0.1", null)));

        assertThat(bed.first(id, "cancelled").path("cancelled_by").asText()).isEqualTo("ops");
    }

    @Test
    void itWasSkipped() {
        var id = rows.finished().status("SKIPPED").attempts(0).insert();
        db.execute(
                "INSERT INTO execution_logs (execution_id, log_id, attempt_number, level, message, logged_at)"
                        + " VALUES ($1, gen_random_uuid(), 0, 'INFO', 'skipped: its trigger rule cannot hold', now())",
                id);

        assertThat(bed.first(id, "skipped").path("message").asText())
                .isEqualTo("It was skipped: its trigger rule cannot hold.");
    }
}
