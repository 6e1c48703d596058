package io.taskexec.store.endpoint;

import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.Rows.json;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.Uuid7;
import io.taskexec.model.delivery.Transition;
import io.taskexec.model.job.DstPolicy;
import io.taskexec.model.job.ExecutionSelection;
import io.taskexec.model.job.OperationAction;
import io.taskexec.model.job.SchedulePolicy;
import io.taskexec.model.job.SchedulePolicy.CatchUp;
import io.taskexec.model.job.SchedulePolicy.Overlap;
import io.taskexec.model.job.Timetable;
import io.taskexec.store.execution.ReplayStore;
import io.taskexec.store.job.IdempotencyKeyStore;
import io.taskexec.store.job.JobCreator;
import io.taskexec.store.job.NewJob;
import io.taskexec.store.job.NewJob.Result;
import io.taskexec.store.job.ScheduleStore;
import io.taskexec.store.job.ScheduleStore.NewSchedule;
import io.taskexec.store.operation.OperationStore;
import io.taskexec.store.operation.OperationStore.NewOperation;
import io.taskexec.store.region.RegionFilter;
import io.taskexec.store.sql.InUseException;
import io.taskexec.store.sql.Lanes;
import io.taskexec.store.sql.LimitReachedException;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.testing.HeldTransaction;
import io.taskexec.testing.NeedsOwnServer;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;
import io.taskexec.testing.TestJob;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A creation and a deletion of what it needs meet: one of the two loses. */
@NeedsOwnServer("It asks PostgreSQL who waits for whom.")
@StoreTest
class CreationRacesTest {
    private static final int CLIENTS = 10;
    private static final int ROUNDS = 20;
    private static final UUID WORKER = UUID.randomUUID();
    private static final String DELETE_ENDPOINT = "DELETE FROM endpoints WHERE name = $1";
    private static final String NEXT_VERSION = "UPDATE endpoints SET version = version + 1 WHERE name = $1";

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private static EndpointStore endpoints;
    private static ReplayStore replays;
    private static RegionFilter region;

    @BeforeAll
    static void open() {
        endpoints = new EndpointStore(db.database());
        region = db.region("default");
        replays = new ReplayStore(db.database(), new DueSignal(), region);
        await(region.refresh());
    }

    @BeforeEach
    void clear() {
        rows.clearJobs();
        for (var table : new String[] {"schedules", "replays", "operations", "endpoints", "endpoint_versions"}) {
            db.execute("DELETE FROM " + table);
        }
        rows.endpoint(ENDPOINT).insert();
    }

    private static NewJob job(String trigger, String key) {
        return new TestJob().trigger(trigger).key(key).made();
    }

    private static JobCreator creator() {
        return Stores.creator(db.database(), new IdempotencyKeyStore(db.database(), () -> 24), new DueSignal(), region);
    }

    private static ScheduleStore schedules() {
        return new ScheduleStore(
                db.database(), new IdempotencyKeyStore(db.database(), () -> 24), new DueSignal(), region);
    }

    private static Uni<Result> create(String trigger) {
        if (trigger.equals("IMMEDIATE")) {
            return creator().create(job(trigger, UUID.randomUUID().toString()));
        }
        var policy = new SchedulePolicy(Instant.now(), null, null, CatchUp.ALL, Overlap.ALLOW, Duration.ZERO);
        var cron = new Timetable.Cron("* * * * *", "UTC", DstPolicy.DEFAULT);
        return schedules()
                .create(new NewSchedule(
                        job(trigger, ""), cron, policy, Instant.now().plusSeconds(3600), "test"));
    }

    private static Uni<Boolean> delete() {
        return endpoints.delete(ENDPOINT, Precondition.NONE);
    }

    private static Uni<Boolean> deleteIfUnused() {
        return delete().onFailure(InUseException.class).recoverWithItem(false);
    }

    private static long jobs() {
        return db.number("SELECT count(*) FROM jobs");
    }

    @ParameterizedTest
    @ValueSource(strings = {"IMMEDIATE", "CRON"})
    void nothingIsCreatedForAnEndpointThatIsJustBeingDeleted(String trigger) throws InterruptedException {
        try (var deleting = HeldTransaction.on(db)) {
            assertThat(deleting.run(DELETE_ENDPOINT, ENDPOINT)).isEqualTo(1);
            var created = deleting.blocks(create(trigger));
            deleting.commit();

            assertThat(created.join()).isInstanceOf(Result.Stale.class);
        }
        assertThat(jobs()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"IMMEDIATE", "CRON"})
    void ofADeleteAndACreationAtOnceOneLoses(String trigger) {
        for (var round = 0; round < ROUNDS; round++) {
            clear();

            var results = await(Uni.join()
                    .all(IntStream.range(0, CLIENTS)
                            .mapToObj(i -> i == CLIENTS / 2
                                    ? deleteIfUnused()
                                    : create(trigger).map(result -> result instanceof Result.Created))
                            .toList())
                    .andFailFast());

            var deleted = results.remove(CLIENTS / 2);
            assertThat(results).as("round " + round).containsOnly(!deleted);
            assertThat(jobs()).isEqualTo(deleted ? 0 : CLIENTS - 1);
        }
    }

    /** By hand, with the lock that a creation takes. */
    @Test
    void aDeleteWaitsForACreationThatIsUnderWayAndThenSeesItsJob() throws InterruptedException {
        try (var creating = HeldTransaction.on(db)) {
            var _ = creating.run("SELECT 1 FROM endpoints WHERE name = $1 FOR KEY SHARE", ENDPOINT);
            var deleted = creating.blocks(delete());
            var id = Uuid7.next();
            var _ = creating.run(
                    "INSERT INTO jobs (job_id, endpoint, endpoint_version, trigger_type, lane, created_at)"
                            + " VALUES ($1, $2, 1, 'IMMEDIATE', 4, now())",
                    id,
                    ENDPOINT);
            var _ = creating.run(
                    "INSERT INTO exec_live (execution_id, job_id, lane, visible_at, run_at, created_at)"
                            + " VALUES ($1, $1, 4, now(), now(), now())",
                    id);
            creating.commit();

            assertThatThrownBy(deleted::join)
                    .isInstanceOf(CompletionException.class)
                    .hasCauseInstanceOf(InUseException.class);
        }
    }

    @Test
    void tenCreatorsForOneEndpointDoNotWaitForEachOtherNorForANewVersion() {
        try (var creating = HeldTransaction.on(db);
                var updating = HeldTransaction.on(db)) {
            var _ = creating.run("SELECT 1 FROM endpoints WHERE name = $1 FOR KEY SHARE", ENDPOINT);
            var _ = updating.run(NEXT_VERSION, ENDPOINT);

            var results = await(Uni.join()
                    .all(IntStream.range(0, CLIENTS)
                            .mapToObj(i -> create(i % 2 == 0 ? "IMMEDIATE" : "CRON"))
                            .toList())
                    .andFailFast());

            assertThat(results).allMatch(result -> result instanceof Result.Created);
        }
    }

    @Test
    void aDeleteOfAnEndpointThatIsInUseIsRefusedWithoutWaiting() {
        assertThat(await(create("IMMEDIATE"))).isInstanceOf(Result.Created.class);
        try (var creating = HeldTransaction.on(db)) {
            var _ = creating.run("SELECT 1 FROM endpoints WHERE name = $1 FOR KEY SHARE", ENDPOINT);

            assertThatThrownBy(() -> await(delete())).isInstanceOf(InUseException.class);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "UPDATE schedules SET next_run_at = NULL, set_aside_reason = 'unreadable'",
                "WITH j AS (UPDATE jobs SET retired_at = now())"
                        + " UPDATE schedules SET next_run_at = NULL, ended_at = now(), buffered_tick = now()"
            })
    void aScheduleThatIsSetAsideOrHasATickThatWaitsKeepsItsEndpoint(String state) {
        assertThat(await(create("CRON"))).isInstanceOf(Result.Created.class);
        db.execute(state);

        assertThatThrownBy(() -> await(delete())).isInstanceOf(InUseException.class);
    }

    @Test
    void nothingIsRepeatedForAnEndpointThatIsJustBeingDeleted() throws InterruptedException {
        var ended = rows.finished().insert();
        try (var deleting = HeldTransaction.on(db)) {
            var _ = deleting.run(DELETE_ENDPOINT, ENDPOINT);
            var repeated = deleting.blocks(replays.replay(ended, Uuid7.next()));
            deleting.commit();

            assertThat(repeated.join()).isFalse();
        }
        assertThat(db.number("SELECT count(*) FROM exec_live")).isZero();
    }

    @Test
    void noResultIsReportedToAnEndpointThatIsJustBeingDeleted() throws InterruptedException {
        rows.endpoint("told").insert();
        rows.endpoint("telling").reportsTo("told", null).insert();
        rows.live().endpoint("telling").insert();
        var claim = await(Stores.leases(db.database()).claim(Lanes.of(List.of(0)), 1, Duration.ofSeconds(60), WORKER))
                .getFirst();
        try (var deleting = HeldTransaction.on(db)) {
            var _ = deleting.run(DELETE_ENDPOINT, "told");
            var recorded = deleting.blocks(
                    Stores.recorder(db.database()).record(claim, WORKER, new Transition.Succeed(json("{}"), true)));
            deleting.commit();

            assertThat(recorded.join()).isTrue();
        }
        assertThat(db.number("SELECT count(*) FROM jobs WHERE callback_of IS NOT NULL"))
                .isZero();
    }

    @Test
    void theBreakerOfAnEndpointThatIsJustBeingDeletedDoesNotOpen() throws InterruptedException {
        var breakers = new BreakerStore(db.database());
        try (var deleting = HeldTransaction.on(db)) {
            var _ = deleting.run(DELETE_ENDPOINT, ENDPOINT);
            var opened =
                    deleting.blocks(breakers.open(ENDPOINT, Duration.ofSeconds(1), Duration.ofSeconds(9), "failures"));
            deleting.commit();

            assertThat(opened.join()).isNull();
        }
    }

    @Test
    void noMoreOperationsRunThanMayHoweverManyAreCreatedAtOnce() throws InterruptedException {
        var operations = new OperationStore(db.database());
        var all = new ExecutionSelection(null, null, null, null, null, null, null, null);
        var insert = """
                INSERT INTO operations (operation_id, action, selection, rate_per_sec, next_at, created_at)
                SELECT gen_random_uuid(), 'RETRY', '{}', 1, now(), now() FROM generate_series(1, $1::int)
                """;
        db.execute(insert, 19);
        try (var other = HeldTransaction.on(db)) {
            var _ = other.run("UPDATE epochs SET value = value WHERE name = 'operations'");
            var _ = other.run(insert, 1);
            var created = other.blocks(
                    operations.create(new NewOperation(Uuid7.next(), OperationAction.RETRY, all, 1, null, null)));
            other.commit();

            assertThatThrownBy(created::join).hasCauseInstanceOf(LimitReachedException.class);
        }
        assertThat(db.number("SELECT count(*) FROM operations")).isEqualTo(20);
    }
}
