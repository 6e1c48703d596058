package io.taskexec.api.explanation;

import static io.taskexec.api.explanation.ExplanationBed.in;
import static io.taskexec.api.explanation.ExplanationBed.isAbout;
import static io.taskexec.api.explanation.ExplanationBed.time;
import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.model.PublicId;
import io.taskexec.model.delivery.Claim;
import io.taskexec.model.job.ExecutionStatus;
import io.taskexec.store.auth.AuditStore;
import io.taskexec.store.endpoint.QueueSettingsStore;
import io.taskexec.store.endpoint.QueueStore;
import io.taskexec.store.execution.LimitedClaims;
import io.taskexec.store.execution.SharedClaims.Claimant;
import io.taskexec.store.execution.SharedClaims.Share;
import io.taskexec.store.pressure.PressureStore;
import io.taskexec.store.sql.Lanes;
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

/** One test for each obstacle between a due execution and a worker, by rows as the program writes them. */
@StoreTest
class ObstacleTest {
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
        bed.haveSeen(ExplanationBed.OBSTACLES);
    }

    @BeforeEach
    void clear() {
        bed.clear();
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
        db.execute("INSERT INTO region_status (region, number, adopted_by)"
                + " VALUES ('default', 0, NULL), ('north', 1, 'south')");
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

    @Test
    void theFirstInTheLineOfItsFlowKeyWaitsForItsQueueAlone() {
        rows.flowPolicy(ENDPOINT, "max_concurrency", "1");
        var id = rows.live().parked("acme").insert();
        assertThat(bed.first(id, "key_line").path("message").asText()).contains("about to be released");

        pause(null, null);

        assertThat(bed.codes(id)).containsExactly("queue_paused");
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
        IntStream.range(0, 8).forEach(_ -> rows.live().insert());
        var _ = await(queues.resume("default"));
        assertThat(claimLimited()).hasSizeLessThan(8);
        // So many run that it takes seconds until one more may.
        db.execute("UPDATE queues SET resumed_at = now() - interval '1 minute'");
        assertThat(claimLimited()).isNotEmpty();
        db.execute("UPDATE queues SET resumed_at = now()");

        var reason = bed.first(rows.live().insert(), "slow_start");

        isAbout(time(reason, "until"), in(Duration.ofSeconds(10)));
    }

    @Test
    void aSlowStartIsOneOfThePlacesOfTheQueue() {
        limit("max_concurrency", 10);
        bed.beat(200, 200, 7);
        IntStream.range(0, 5).forEach(_ -> rows.live().insert());
        assertThat(claimLimited()).hasSize(5);
        db.execute("UPDATE queues SET resumed_at = now()");

        var reason = bed.first(rows.live().insert(), "slow_start");

        assertThat(reason.path("limit").asInt()).isLessThanOrEqualTo(5);
        assertThat(reason.path("message").asText()).contains("of 10 slots");
    }

    @Test
    void theFirstThatWaitsForPullWorkersIsNextHoweverManySlotsOtherWorkersHave() {
        db.execute("INSERT INTO queues (queue_id, name, pulled, asked_at) VALUES (9, 'worker:pulled', true, now())");
        rows.endpoint("pulled").insert();
        db.execute("UPDATE endpoint_versions SET endpoint_type = 'WORKER', spec = '{}', queue_id = 9"
                + " WHERE name = 'pulled'");
        var ids = IntStream.range(0, 3)
                .mapToObj(_ -> rows.live()
                        .endpoint("pulled")
                        .lane(Lanes.lane(9, 0, false, 4))
                        .insert())
                .toList();
        bed.beat(100, 0, 7);

        assertThat(bed.codes(ids.getFirst())).containsExactly("ready");
        assertThat(bed.first(ids.getLast(), "in_lane").path("position").asInt()).isEqualTo(3);

        bed.beat(100, 100, 7);
        assertThat(bed.codes(ids.getFirst())).containsExactly("ready");
    }
}
