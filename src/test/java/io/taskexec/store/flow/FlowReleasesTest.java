package io.taskexec.store.flow;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.flow.FlowKey;
import io.taskexec.model.flow.FlowPolicy;
import io.taskexec.model.flow.RateLimit;
import io.taskexec.store.endpoint.QueueSettingsStore;
import io.taskexec.store.sql.Lanes;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@StoreTest
class FlowReleasesTest {
    private static final String ENDPOINT = "two-queues";
    private static final int QUEUE = 7;
    private static final long KEY = FlowKey.of(ENDPOINT, "a").id();

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private static FlowReleases releases;

    @BeforeAll
    static void open() {
        releases = new FlowReleases(db.database(), new DueSignal());
        rows.endpoint(ENDPOINT).insert();
        db.execute("INSERT INTO queues (queue_id, name) VALUES (%d, 'imports')".formatted(QUEUE));
    }

    @BeforeEach
    void clear() {
        rows.clearJobs();
        db.execute("DELETE FROM flow_policies");
        db.execute("UPDATE queues SET paused_at = NULL, aging_ms = NULL");
    }

    private static int release() {
        return await(releases.release(List.of(KEY)));
    }

    private static OffsetDateTime now() {
        return db.row("SELECT now()").getOffsetDateTime(0);
    }

    /** Though not at once. The time of the check says nothing: it may come late. */
    private static void assertThatItIsLookedAtAgain(OffsetDateTime before) {
        assertThat(db.number(
                        "SELECT count(*) FROM flow_limits WHERE release_at >= $1::timestamptz + interval '100 ms'",
                        before))
                .isEqualTo(1);
    }

    private static void limit(@Nullable RateLimit rate) {
        write(new FlowPolicy("{{input.k}}", rate == null ? 2 : null, rate, FlowPolicy.Order.ANY, false));
    }

    private static void write(FlowPolicy policy) {
        await(db.database()
                .withTransaction(transaction ->
                        FlowPolicies.write(transaction, ENDPOINT, policy).replaceWith(true)));
    }

    private static double secondsUntilAllTokens() {
        return db.row("SELECT extract(epoch FROM tat - now())::float8 AS s FROM flow_limits WHERE flow_id = $1", KEY)
                .getDouble("s");
    }

    @Test
    void whatAPausedQueueHoldsBackTakesNoPlaceThatAnotherQueueCouldHave() {
        limit(null);
        for (var i = 0; i < 3; i++) {
            rows.live()
                    .endpoint(ENDPOINT)
                    .lane(Lanes.lane(QUEUE, 0, false, 4))
                    .flow("a")
                    .insert();
            rows.live().endpoint(ENDPOINT).parked("a").insert();
        }
        db.execute("UPDATE flow_limits SET lined = true");
        var before = now();
        assertThat(release()).isZero();
        assertThatItIsLookedAtAgain(before);

        db.execute("UPDATE queues SET paused_at = now() WHERE queue_id = " + QUEUE);

        assertThat(release()).isEqualTo(2);
    }

    @Test
    void whatAPausedQueueHoldsBackIsPassedOverInTheLineToo() {
        limit(null);
        var held = rows.live()
                .endpoint(ENDPOINT)
                .lane(Lanes.lane(QUEUE, 0, false, 4))
                .parked("a")
                .insert();
        var other = rows.live().endpoint(ENDPOINT).parked("a").insert();
        db.execute("UPDATE flow_limits SET lined = true");
        db.execute("UPDATE queues SET paused_at = now() WHERE queue_id = " + QUEUE);
        var before = now();

        assertThat(release()).isEqualTo(1);
        assertThat(state(other)).isZero();
        assertThat(state(held)).isEqualTo(1);
        assertThatItIsLookedAtAgain(before);

        assertThat(await(new QueueSettingsStore(db.database()).resume("imports")))
                .isNotNull();
        assertThat(await(releases.due())).containsExactly(KEY);
        assertThat(release()).isEqualTo(1);
        assertThat(state(held)).isZero();
    }

    @Test
    void aLineOfWhichAllIsHeldBackIsNotLookedAtAllTheTime() {
        limit(new RateLimit(10, Duration.ofSeconds(1), 1));
        rows.live()
                .endpoint(ENDPOINT)
                .lane(Lanes.lane(QUEUE, 0, false, 4))
                .parked("a")
                .insert();
        db.execute("UPDATE flow_limits SET lined = true");
        db.execute("UPDATE queues SET paused_at = now() WHERE queue_id = " + QUEUE);

        assertThat(release()).isZero();
        assertThat(db.number("SELECT count(*) FROM flow_limits WHERE release_at > now() + interval '50 seconds'"))
                .isEqualTo(1);
    }

    @Test
    void aQueueThatIsPausedBeforeWhatWasReleasedInItBeginsKeepsNoOtherWaiting() {
        limit(null);
        for (var i = 0; i < 2; i++) {
            rows.live()
                    .endpoint(ENDPOINT)
                    .lane(Lanes.lane(QUEUE, 0, false, 4))
                    .dueSince(Duration.ofMinutes(1))
                    .parked("a")
                    .insert();
        }
        var other = rows.live().endpoint(ENDPOINT).parked("a").insert();
        db.execute("UPDATE flow_limits SET lined = true");
        var before = now();
        assertThat(release()).isEqualTo(2);
        db.execute("UPDATE queues SET paused_at = now() WHERE queue_id = " + QUEUE);

        assertThatItIsLookedAtAgain(before);
        assertThat(release()).isEqualTo(1);
        assertThat(state(other)).isZero();
    }

    @Test
    void inAStrictOrderWhatComesLaterInAPausedQueueKeepsNothingWaiting() {
        write(new FlowPolicy("{{input.k}}", 1, null, FlowPolicy.Order.FIFO, false));
        var first = rows.live()
                .endpoint(ENDPOINT)
                .dueSince(Duration.ofMinutes(1))
                .parked("a")
                .insert();
        rows.live()
                .endpoint(ENDPOINT)
                .lane(Lanes.lane(QUEUE, 0, false, 4))
                .flow("a")
                .insert();
        db.execute("UPDATE flow_limits SET lined = true");
        db.execute("UPDATE exec_live SET flow_line = 0");
        db.execute("UPDATE queues SET paused_at = now() WHERE queue_id = " + QUEUE);

        assertThat(release()).isEqualTo(1);

        assertThat(state(first)).isEqualTo(2);
    }

    @Test
    void aStrictOrderHoldsOverPauses() {
        write(new FlowPolicy("{{input.k}}", 1, null, FlowPolicy.Order.FIFO, false));
        var first = rows.live()
                .endpoint(ENDPOINT)
                .lane(Lanes.lane(QUEUE, 0, false, 4))
                .dueSince(Duration.ofMinutes(1))
                .parked("a")
                .insert();
        var second = rows.live().endpoint(ENDPOINT).parked("a").insert();
        db.execute("UPDATE flow_limits SET lined = true");
        db.execute("UPDATE exec_live SET flow_line = 0");
        db.execute("UPDATE queues SET paused_at = now() WHERE queue_id = " + QUEUE);

        assertThat(release()).isEqualTo(1);

        assertThat(state(first)).isEqualTo(2);
        assertThat(state(second)).isEqualTo(1);
    }

    /** Parked in the queue that may age. */
    private static UUID waiting(int priority, Duration since) {
        return rows.live()
                .endpoint(ENDPOINT)
                .lane(Lanes.lane(QUEUE, 0, false, priority))
                .dueSince(since)
                .parked("a")
                .insert();
    }

    private static List<UUID> released() {
        assertThat(release()).isEqualTo(2);
        return db
                .rows("SELECT execution_id FROM exec_live WHERE flow_state = 0 ORDER BY visible_at, execution_id")
                .stream()
                .map(row -> row.getUUID("execution_id"))
                .toList();
    }

    @Test
    void whatHasWaitedInALineForStepsOfAgingPassesWhatIsLessUrgentByThen() {
        limit(null);
        var old = waiting(5, Duration.ofMinutes(4).plusSeconds(30));
        var ofAnotherQueue = rows.live()
                .endpoint(ENDPOINT)
                .lane(3)
                .dueSince(Duration.ofHours(1))
                .parked("a")
                .insert();
        var second = waiting(2, Duration.ofSeconds(2));
        var third = waiting(2, Duration.ofSeconds(1));
        db.execute("UPDATE flow_limits SET lined = true");
        db.execute("UPDATE queues SET aging_ms = 60000 WHERE queue_id = " + QUEUE);

        assertThat(released()).containsExactlyInAnyOrder(old, second);
        assertThat(state(third)).isEqualTo(1);
        assertThat(state(ofAnotherQueue)).isEqualTo(1);
    }

    @Test
    void withoutAgingTheMostUrgentOfALineGoesFirst() {
        limit(null);
        var old = waiting(5, Duration.ofDays(1));
        var first = waiting(2, Duration.ofSeconds(2));
        var second = waiting(2, Duration.ofSeconds(1));
        db.execute("UPDATE flow_limits SET lined = true");

        assertThat(released()).containsExactlyInAnyOrder(first, second);
        assertThat(state(old)).isEqualTo(1);
    }

    @Test
    void inALineOfEndlessUrgentWorkWhatHasAgedToTheEndHasItsTurn() {
        limit(null);
        var old = waiting(7, Duration.ofMinutes(8));
        var young = waiting(7, Duration.ofMinutes(5));
        for (var i = 0; i < 80; i++) {
            var _ = waiting(0, Duration.ofSeconds(1));
        }
        db.execute("UPDATE flow_limits SET lined = true");
        db.execute("UPDATE queues SET aging_ms = 60000 WHERE queue_id = " + QUEUE);

        var urgent = 0L;
        for (var i = 0; i < 30; i++) {
            urgent += released().stream().filter(id -> !id.equals(old)).count();
            db.execute("DELETE FROM exec_live WHERE flow_state = 0");
        }

        assertThat(urgent).isEqualTo(59);
        assertThat(db.number("SELECT count(*) FROM exec_live WHERE execution_id = '%s'".formatted(old)))
                .isZero();
        assertThat(state(young)).isEqualTo(1);
    }

    private static int state(UUID id) {
        return db.row("SELECT flow_state FROM exec_live WHERE execution_id = $1", id)
                .getInteger("flow_state");
    }

    @Test
    void afterARaiseOfTheRateTokensComeBackAtTheNewOne() {
        limit(new RateLimit(1_000, Duration.ofDays(1), 1_000));
        rows.live().endpoint(ENDPOINT).parked("a").insert();
        db.execute("UPDATE flow_limits SET lined = true, tat = now() + interval '1 day'");
        assertThat(release()).isZero();

        limit(new RateLimit(1_000, Duration.ofHours(1), 1_000));

        assertThat(secondsUntilAllTokens()).isBetween(3_590.0, 3_600.0);
        assertThat(db.number("SELECT count(*) FROM flow_limits WHERE release_at <= now()"))
                .isEqualTo(1);
    }

    @Test
    void aRateThatIsLoweredGivesNoTokensBack() {
        limit(new RateLimit(1_000, Duration.ofHours(1), 1_000));
        rows.live().endpoint(ENDPOINT).flow("a").insert();
        db.execute("UPDATE flow_limits SET tat = now() + interval '10 minutes'");

        limit(new RateLimit(1_000, Duration.ofDays(1), 1_000));

        assertThat(secondsUntilAllTokens()).isBetween(590.0, 600.0);
    }
}
