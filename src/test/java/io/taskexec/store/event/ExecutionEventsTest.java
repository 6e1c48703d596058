package io.taskexec.store.event;

import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.Rows.json;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.Uuid7;
import io.taskexec.model.delivery.Claim;
import io.taskexec.model.delivery.Transition;
import io.taskexec.model.endpoint.OnWorkerLost;
import io.taskexec.model.job.TickOutcome;
import io.taskexec.store.dependency.DependencyReleases;
import io.taskexec.store.execution.ClaimStatement;
import io.taskexec.store.execution.ExpiryStatement;
import io.taskexec.store.execution.ExpiryStore;
import io.taskexec.store.execution.LeaseStore;
import io.taskexec.store.execution.ReplayStore;
import io.taskexec.store.execution.ResultStatement;
import io.taskexec.store.flow.FlowReleases;
import io.taskexec.store.job.BufferedTickStore;
import io.taskexec.store.job.CancelSignal;
import io.taskexec.store.job.CancelStore;
import io.taskexec.store.job.IdempotencyKeyStore;
import io.taskexec.store.job.JobCreator;
import io.taskexec.store.job.JobInsert;
import io.taskexec.store.job.LedgerStore;
import io.taskexec.store.job.LedgerStore.Late;
import io.taskexec.store.job.NewJob;
import io.taskexec.store.job.ScheduleControlStore;
import io.taskexec.store.job.TickStore;
import io.taskexec.store.job.TickStore.Advance;
import io.taskexec.store.job.TickStore.Decision;
import io.taskexec.store.region.HomeRegion;
import io.taskexec.store.sql.Connections;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.EventedStatement;
import io.taskexec.store.sql.Lanes;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.testing.JobForms;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;
import io.taskexec.testing.TestJob;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every change of an execution, and the event that it leaves. */
@StoreTest
class ExecutionEventsTest {
    private static final Integer[] LANES = Lanes.of(List.of(0));
    private static final Duration LEASE = Duration.ofSeconds(60);
    private static final UUID WORKER = UUID.randomUUID();
    private static final Instant TICK = Instant.parse("2026-03-15T18:00:00Z");

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private static Database database;
    private static LeaseStore leases;

    @BeforeAll
    static void open() {
        database = new Database(db.poolOfServers(), TestDb.PATIENCE, true);
        leases = Stores.leases(database);
        rows.endpoint(ENDPOINT).insert();
        rows.endpoint("telling").reportsTo(null, ENDPOINT).insert();
    }

    @BeforeEach
    void clear() {
        db.execute("DELETE FROM event_outbox");
    }

    /** As {@code kind attempt error}, in the order of their numbers. */
    private static List<String> events(UUID executionId) {
        return db
                .rows(
                        "SELECT concat_ws(' ', kind, attempt, error_type) FROM event_outbox WHERE execution_id = $1"
                                + " ORDER BY write_id",
                        executionId)
                .stream()
                .map(row -> row.getString(0))
                .toList();
    }

    private static List<Claim> claim() {
        return await(leases.claim(LANES, 100, LEASE, WORKER));
    }

    private static Claim claimed() {
        rows.live().insert();
        return claim().getFirst();
    }

    private static boolean record(Claim claim, Transition transition) {
        return await(Stores.recorder(database).record(claim, WORKER, transition));
    }

    private static NewJob job(Set<String> tags) {
        return new TestJob().delay(Duration.ofMinutes(5)).tags(tags).made();
    }

    private static JobCreator creator(Database store) {
        return Stores.creator(store, new IdempotencyKeyStore(store, () -> 24), new DueSignal(), db.region("default"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "mail"})
    void aJobThatIsCreatedSaysWhenItRuns(String tag) {
        var job = job(tag.isEmpty() ? Set.of() : Set.of(tag));

        assertThat(await(creator(database).create(job))).isInstanceOf(NewJob.Result.Created.class);

        assertThat(events(job.id())).containsExactly("CREATED 0");
        assertThat(db.number(
                        "SELECT count(*) FROM event_outbox WHERE job_id = $1 AND at < now()"
                                + " AND next_run_at = at + interval '5 min'",
                        job.id()))
                .isOne();
        assertThat(db.number("SELECT count(*) FROM exec_live WHERE visible_at > now()"))
                .isOne();
    }

    @Test
    void aJobThatIsThereAlreadyIsNotCreatedAgain() {
        var job = job(Set.of());
        var _ = await(creator(database).create(job));
        var same = new TestJob()
                .delay(job.delay())
                .key(job.idempotencyKey())
                .fingerprint(job.fingerprint())
                .made();

        assertThat(await(creator(database).create(same))).isInstanceOf(NewJob.Result.Duplicate.class);

        assertThat(db.number("SELECT count(*) FROM event_outbox")).isOne();
    }

    @Test
    void whereEventsAreOffNoneIsWritten() {
        var job = job(Set.of());
        var _ = await(creator(db.database()).create(job));
        rows.live().insert();
        var claim = await(Stores.leases(db.database()).claim(LANES, 10, LEASE, WORKER))
                .getFirst();
        assertThat(await(Stores.recorder(db.database()).record(claim, WORKER, new Transition.Succeed(json("{}")))))
                .isTrue();

        assertThat(db.number("SELECT count(*) FROM event_outbox")).isZero();
    }

    @Test
    void aSuccessIsStartedAndSucceeded() {
        var claim = claimed();

        assertThat(record(claim, new Transition.Succeed(json("{'type': 'no error'}"))))
                .isTrue();

        assertThat(events(claim.executionId())).containsExactly("STARTED 1", "SUCCESS 1");
    }

    @Test
    void aFailureSaysItsType() {
        var claim = claimed();

        assertThat(record(claim, new Transition.Fail(json("{'type': 'HTTP_ERROR'}"))))
                .isTrue();

        assertThat(events(claim.executionId())).containsExactly("STARTED 1", "FAILED 1 HTTP_ERROR");
    }

    @Test
    void whoIsToldOfAResultIsCreatedWithIt() {
        var id = rows.live().endpoint("telling").insert();
        var claim = claim().getFirst();

        assertThat(record(claim, new Transition.Fail(json("{'type': 'TIMEOUT'}"))))
                .isTrue();

        assertThat(events(id)).containsExactly("STARTED 1", "FAILED 1 TIMEOUT");
        var callback = db.row("SELECT execution_id FROM exec_live").getUUID(0);
        assertThat(events(callback)).containsExactly("CREATED 0");
    }

    @Test
    void aRetrySaysWhyAndWhen() {
        var claim = claimed();

        assertThat(record(claim, new Transition.RetryAfter(Duration.ofHours(1), json("{'type': 'TIMEOUT'}"))))
                .isTrue();

        assertThat(events(claim.executionId())).containsExactly("STARTED 1", "RETRYING 1 TIMEOUT");
        assertThat(db.number("SELECT count(*) FROM event_outbox WHERE next_run_at = at + interval '1 hour'"))
                .isOne();
    }

    @Test
    void anAttemptThatAShutdownCutsShortIsInterruptedAndStartedAgain() {
        var claim = claimed();

        assertThat(record(claim, new Transition.Interrupt())).isTrue();
        assertThat(claim()).hasSize(1);

        assertThat(events(claim.executionId())).containsExactly("STARTED 1", "INTERRUPTED 1", "STARTED 2");
    }

    @Test
    void anAttemptThatIsLostIsToldOfBeforeTheNextOne() {
        var lost = rows.live().leased(WORKER, Duration.ofSeconds(-1)).insert();
        var other = rows.live().insert();

        assertThat(claim()).hasSize(2);

        assertThat(events(lost)).containsExactly("LOST 1", "STARTED 2");
        assertThat(events(other)).containsExactly("STARTED 1");
    }

    @Test
    void whatHasLostTooManyWorkersIsNotStartedAgain() {
        var lost = rows.live()
                .attempt(4)
                .rescues(LeaseStore.MAX_RESCUES)
                .leased(WORKER, Duration.ofSeconds(-1))
                .insert();

        assertThat(claim()).hasSize(1);

        assertThat(events(lost)).containsExactly("LOST 4");
    }

    @Test
    void whatMustNotBeDeliveredTwiceIsNotStartedAgain() {
        rows.endpoint("once").onWorkerLost(OnWorkerLost.FAIL).insert();
        var lost = rows.live()
                .endpoint("once")
                .leased(WORKER, Duration.ofSeconds(-1))
                .insert();

        assertThat(claim()).hasSize(1);

        assertThat(events(lost)).containsExactly("LOST 1");
    }

    @Test
    void whoHasLostTheLeaseLeavesNoEvent() {
        var claim = claimed();
        db.execute("UPDATE exec_live SET lease_token = lease_token + 1");

        assertThat(record(claim, new Transition.Succeed(json("{}")))).isFalse();
        assertThat(record(claim, new Transition.RetryAfter(Duration.ZERO, json("{}"))))
                .isFalse();

        assertThat(events(claim.executionId())).containsExactly("STARTED 1");
    }

    @Test
    void aCancellationAndAReplayAreToldOf() {
        var id = rows.live().insert();
        var replay = Uuid7.next();

        assertThat(await(Stores.cancelling(database, new CancelSignal()).cancel(id, false)))
                .isTrue();
        assertThat(await(new ReplayStore(database, new DueSignal(), db.region("default")).replay(id, replay)))
                .isTrue();

        assertThat(events(id)).containsExactly("CANCELLED 0");
        assertThat(events(replay)).containsExactly("CREATED 0");
        assertThat(db.row("SELECT job_id FROM event_outbox WHERE execution_id = $1", replay)
                        .getUUID(0))
                .isEqualTo(id);
    }

    private static UUID schedule() {
        var id = rows.finished().insert();
        db.execute("""
            INSERT INTO schedules (job_id, root_id, cron_expression, timezone, starts_at, next_run_at)
            VALUES ($1, $1, '* * * * *', 'UTC', $2, $2)
            """, id, OffsetDateTime.ofInstant(TICK, ZoneOffset.UTC));
        return id;
    }

    private static Decision fires(UUID job, UUID executionId) {
        return new Decision(job, TICK, TickOutcome.FIRED, executionId, Duration.ZERO);
    }

    @Test
    void aTickIsCreatedOnceThoughTwoSchedulersWantIt() {
        var job = schedule();
        var ticks = new TickStore(database, new DueSignal());
        var id = Uuid7.next();
        var tick = fires(job, id);
        var advance = new Advance(job, TICK, null, List.of(tick), TICK, TICK.plusSeconds(3600), null);

        assertThat(await(ticks.advance(List.of(advance), "test")).fired()).isOne();
        assertThat(await(ticks.advance(List.of(advance), "test")).moved()).isEmpty();

        assertThat(events(id)).containsExactly("CREATED 0");
    }

    @Test
    void aTickThatHadToWaitABackfillAndATriggerAreToldOf() {
        var job = schedule();
        db.execute(
                "UPDATE schedules SET buffered_tick = $2 WHERE job_id = $1",
                job,
                OffsetDateTime.ofInstant(TICK, ZoneOffset.UTC));
        var waited = Uuid7.next();
        var late = new Late(TICK.minusSeconds(3600), Uuid7.next());
        var triggered = Uuid7.next();

        assertThat(await(new BufferedTickStore(database, new DueSignal()).release(List.of(fires(job, waited)))))
                .isOne();
        assertThat(await(new LedgerStore(database, new DueSignal()).backfill(job, List.of(late))))
                .isOne();
        assertThat(await(new ScheduleControlStore(database, new DueSignal()).fire(job, triggered)))
                .isTrue();

        for (var id : List.of(waited, late.executionId(), triggered)) {
            assertThat(events(id)).containsExactly("CREATED 0");
        }
        assertThat(db.number("SELECT count(*) FROM exec_live")).isEqualTo(3);
    }

    @Test
    void whatHasExpiredIsToldOfWithTheAttemptsBefore() {
        var claimed = rows.live().insert();
        var claim = await(leases.claim(LANES, 1, LEASE, WORKER)).getFirst();
        assertThat(await(Stores.recorder(database).record(claim, WORKER, new Transition.Expire())))
                .isTrue();
        var waits = rows.live().attempt(2).insert();
        var lost = rows.live().leased(WORKER, Duration.ofSeconds(-1)).insert();
        db.execute("UPDATE exec_live SET expires_at = now(), deadline = now()");

        var store = new ExpiryStore(
                database,
                new FlowReleases(database, new DueSignal()),
                new DependencyReleases(database, new DueSignal()));
        assertThat(await(store.expire(10))).isEqualTo(2);

        assertThat(events(claimed)).containsExactly("STARTED 1", "EXPIRED 0");
        assertThat(events(waits)).containsExactly("EXPIRED 2");
        assertThat(events(lost)).containsExactly("LOST 1", "EXPIRED 1");
    }

    static Stream<EventedStatement> changes() {
        return Stream.of(
                JobInsert.of(JobForms.PLAIN, HomeRegion.DEFAULT),
                JobInsert.of(JobForms.TAGGED, new HomeRegion("eu-1")),
                ClaimStatement.PLAIN,
                ClaimStatement.PLAIN_MEASURED,
                ClaimStatement.MARKED,
                ClaimStatement.MARKED_MEASURED,
                ResultStatement.END,
                ResultStatement.END_WITH_CALLBACKS,
                ResultStatement.RETRY,
                TickStore.ADVANCE,
                BufferedTickStore.RELEASE,
                CancelStore.CANCEL,
                ExpiryStatement.CLAIMED,
                ExpiryStatement.DUE,
                ReplayStore.REPLAY,
                LedgerStore.BACKFILL,
                ScheduleControlStore.FIRE);
    }

    @ParameterizedTest
    @MethodSource("changes")
    void bothFormsAreShortEnoughToBePrepared(EventedStatement change) {
        assertThat(change.withEvents()).contains("INTO event_outbox").hasSizeLessThan(Connections.LONGEST_PREPARED);
        assertThat(change.alone()).doesNotContain("event_outbox").hasSizeLessThan(Connections.LONGEST_PREPARED);
    }
}
