package io.taskexec.store.endpoint;

import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.Rows.json;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.Uuid7;
import io.taskexec.model.delivery.Transition;
import io.taskexec.model.endpoint.Callbacks;
import io.taskexec.model.endpoint.Endpoint;
import io.taskexec.model.endpoint.HttpSpec;
import io.taskexec.model.endpoint.IdentitySpec;
import io.taskexec.model.endpoint.OnWorkerLost;
import io.taskexec.model.endpoint.RetryPolicy;
import io.taskexec.model.job.DstPolicy;
import io.taskexec.model.job.ExecutionSelection;
import io.taskexec.model.job.OperationAction;
import io.taskexec.model.job.SchedulePolicy;
import io.taskexec.model.job.SchedulePolicy.CatchUp;
import io.taskexec.model.job.SchedulePolicy.Overlap;
import io.taskexec.model.job.Timetable;
import io.taskexec.store.endpoint.EndpointStore.Registration;
import io.taskexec.store.execution.LeaseStore;
import io.taskexec.store.execution.ReplayStore;
import io.taskexec.store.execution.ResultRecorder;
import io.taskexec.store.execution.RetentionStore;
import io.taskexec.store.job.IdempotencyKeyStore;
import io.taskexec.store.job.JobCreator;
import io.taskexec.store.job.NewJob;
import io.taskexec.store.job.NewJob.Result;
import io.taskexec.store.job.ScheduleStore;
import io.taskexec.store.job.ScheduleStore.NewSchedule;
import io.taskexec.store.operation.OperationStore;
import io.taskexec.store.operation.OperationStore.NewOperation;
import io.taskexec.store.region.HomeRegion;
import io.taskexec.store.region.RegionFilter;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.InUseException;
import io.taskexec.store.sql.Lanes;
import io.taskexec.store.sql.LimitReachedException;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.HeldTransaction;
import io.taskexec.testing.NeedsOwnServer;
import io.taskexec.testing.Rows;
import io.taskexec.testing.TestDb;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A creation and a deletion of what it needs meet: one of the two loses. */
@NeedsOwnServer("It asks PostgreSQL who waits for whom.")
class CreationRacesTest {
    private static final int CLIENTS = 10;
    private static final int ROUNDS = 20;
    private static final UUID WORKER = UUID.randomUUID();
    private static final String DELETE_ENDPOINT = "DELETE FROM endpoints WHERE name = $1";
    private static final String NEXT_VERSION = "UPDATE endpoints SET version = version + 1 WHERE name = $1";

    private static TestDb db;
    private static Rows rows;
    private static EndpointStore endpoints;
    private static ReplayStore replays;
    private static RegionFilter region;

    @BeforeAll
    static void open() {
        db = TestDb.fresh();
        rows = new Rows(db);
        endpoints = new EndpointStore(db.database());
        region = db.region("default");
        replays = new ReplayStore(db.database(), new DueSignal(), region);
        await(region.refresh());
    }

    @AfterAll
    static void close() {
        db.close();
    }

    @BeforeEach
    void clear() {
        rows.clearJobs();
        for (var table : new String[] {
            "schedules",
            "replays",
            "operations",
            "endpoint_secrets",
            "endpoints",
            "endpoint_versions",
            "configs",
            "config_versions",
            "secrets"
        }) {
            db.execute("DELETE FROM " + table);
        }
        rows.endpoint(ENDPOINT).insert();
    }

    private static NewJob job(String trigger, String key) {
        return new NewJob(
                Uuid7.next(),
                ENDPOINT,
                1,
                0,
                trigger,
                null,
                Duration.ZERO,
                0,
                4,
                Set.of(),
                key,
                UUID.randomUUID(),
                null,
                null);
    }

    private static JobCreator creator() {
        return new JobCreator(db.database(), new IdempotencyKeyStore(db.database(), () -> 24), new DueSignal(), region);
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

    private static long waiting() {
        return db.number("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                + " AND datname = current_database()");
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
    void aNewVersionDoesNotWaitForCreators() {
        try (var creating = HeldTransaction.on(db)) {
            var _ = creating.run("SELECT 1 FROM endpoints WHERE name = $1 FOR KEY SHARE", ENDPOINT);

            assertThat(Objects.requireNonNull(await(endpoints.update(registration(null, Set.of()), Precondition.NONE)))
                            .version())
                    .isEqualTo(2);
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
        var claim = await(new LeaseStore(db.database(), new DueSignal())
                        .claim(Lanes.of(List.of(0)), 1, Duration.ofSeconds(60), WORKER))
                .getFirst();
        try (var deleting = HeldTransaction.on(db)) {
            var _ = deleting.run(DELETE_ENDPOINT, "told");
            var recorded = deleting.blocks(new ResultRecorder(db.database(), new DueSignal())
                    .record(claim, WORKER, new Transition.Succeed(json("{}"), true)));
            deleting.commit();

            assertThat(recorded.join()).isTrue();
        }
        assertThat(db.number("SELECT count(*) FROM jobs WHERE callback_of IS NOT NULL"))
                .isZero();
    }

    /** The job is younger than what is removed of it. */
    @Test
    void aJobIsNotRemovedForItsAgeWhileItIsRepeated() throws InterruptedException {
        var old = rows.finished().endedAgo(Duration.ofDays(31)).insert();
        var retention = new RetentionStore(db.database());
        try (var repeating = HeldTransaction.on(db)) {
            var _ = repeating.run("SELECT 1 FROM jobs WHERE job_id = $1 FOR KEY SHARE", old);
            var removed = repeating.blocks(
                    retention.deleteEndedBefore(Instant.now().minus(Duration.ofDays(30)), new UUID(0, 0), 10));
            var _ = repeating.run(
                    "INSERT INTO exec_live (execution_id, job_id, lane, visible_at, run_at, created_at)"
                            + " VALUES ($1, $2, 4, now(), now(), now())",
                    Uuid7.next(),
                    old);
            repeating.commit();

            assertThat(removed.join().removed()).isEqualTo(1);
        }
        assertThat(jobs()).isEqualTo(1);
    }

    @Test
    void aJobThatIsJustBeingRemovedIsNotRepeated() throws InterruptedException {
        var old = rows.finished().endedAgo(Duration.ofDays(31)).insert();
        try (var removing = HeldTransaction.on(db)) {
            var _ = removing.run("DELETE FROM jobs WHERE job_id = $1", old);
            var _ = removing.run("DELETE FROM executions WHERE execution_id = $1", old);
            var repeated = removing.blocks(replays.replay(old, Uuid7.next()));
            removing.commit();

            assertThat(repeated.join()).isFalse();
        }
        assertThat(db.number("SELECT count(*) FROM exec_live")).isZero();
    }

    private static Registration registration(@Nullable String config, Set<String> secrets) {
        var spec = new HttpSpec(
                "http://127.0.0.1:9/",
                "POST",
                Map.of(),
                null,
                Duration.ofSeconds(1),
                HttpSpec.DEFAULT_EXPECTED,
                IdentitySpec.NONE);
        return new Registration(
                ENDPOINT,
                null,
                config,
                "default",
                spec,
                RetryPolicy.DEFAULT,
                Callbacks.NONE,
                OnWorkerLost.RETRY,
                secrets);
    }

    private static Uni<@Nullable Endpoint> update(@Nullable String config, Set<String> secrets) {
        return endpoints.update(registration(config, secrets), Precondition.NONE);
    }

    /** The references of a version that is no longer the current one. */
    enum Need {
        CONFIG {
            @Override
            Uni<?> make() {
                return new ConfigStore(db.database()).create("needed", json("{'a': 1}"));
            }

            @Override
            Uni<@Nullable Endpoint> use() {
                return update("needed", Set.of());
            }

            @Override
            Uni<Boolean> delete(Database database, Precondition condition) {
                return new ConfigStore(database).delete("needed", condition);
            }
        },
        SECRET {
            @Override
            Uni<?> make() {
                return new SecretStore(db.database()).create("needed", new byte[] {1});
            }

            @Override
            Uni<@Nullable Endpoint> use() {
                return update(null, Set.of("needed"));
            }

            @Override
            Uni<Boolean> delete(Database database, Precondition condition) {
                return new SecretStore(database).delete("needed", condition);
            }
        };

        abstract Uni<?> make();

        abstract Uni<@Nullable Endpoint> use();

        abstract Uni<Boolean> delete(Database database, Precondition condition);

        Uni<Boolean> delete() {
            return delete(db.database(), Precondition.NONE);
        }

        /** Version 2 of the endpoint needs it, and version 3 does not. */
        void useAndLeave() {
            var _ = await(make());
            assertThat(await(use())).isNotNull();
            assertThat(await(update(null, Set.of()))).isNotNull();
        }
    }

    private static NewJob on(String endpoint, int version) {
        var one = job("IMMEDIATE", UUID.randomUUID().toString());
        return new NewJob(
                one.id(),
                endpoint,
                version,
                0,
                "IMMEDIATE",
                null,
                Duration.ZERO,
                0,
                4,
                Set.of(),
                one.idempotencyKey(),
                one.fingerprint(),
                null,
                null);
    }

    @ParameterizedTest
    @EnumSource
    void whatAJobNeedsThatIsJustBeingCreatedIsNotDeleted(Need need) throws InterruptedException {
        var _ = await(need.make());
        assertThat(await(need.use())).isNotNull();
        // Who has the same key keeps it from its end.
        try (var key = HeldTransaction.on(db)) {
            var job = on(ENDPOINT, 2);
            var _ = key.run(
                    "INSERT INTO idempotency_keys VALUES ($1, $2, $3, $4, now())",
                    ENDPOINT,
                    job.idempotencyKey(),
                    UUID.randomUUID(),
                    UUID.randomUUID());
            var created = key.blocks(creator().create(job));
            assertThat(await(update(null, Set.of()))).isNotNull();
            var deleted = need.delete().subscribeAsCompletionStage();
            Eventually.await(
                    "the creation waits for the key, and the deletion for the creation",
                    TestDb.PATIENCE,
                    () -> deleted.isDone() || waiting() == 2);
            var _ = key.run("DELETE FROM idempotency_keys");
            key.commit();

            assertThat(created.join()).isInstanceOf(Result.Created.class);
            assertThatThrownBy(deleted::join).hasCauseInstanceOf(InUseException.class);
        }
    }

    /** Its statement began when version 2 was current, and had to wait for another endpoint first. */
    @ParameterizedTest
    @EnumSource
    void noJobIsCreatedOnAVersionWhoseNeedsAreGoneHoweverLongItsStatementWaited(Need need) throws InterruptedException {
        var _ = await(need.make());
        assertThat(await(need.use())).isNotNull();
        rows.endpoint("another").insert();
        var sql = JobCreator.insert("", HomeRegion.DEFAULT).alone();
        var jobs = List.of(on("another", 1), on(ENDPOINT, 2));
        try (var other = HeldTransaction.on(db)) {
            var _ = other.run("SELECT 1 FROM endpoints WHERE name = 'another' FOR UPDATE");
            var created = other.blocks(db.database().run(sql, JobCreator.parameters(jobs, 0)));
            assertThat(await(update(null, Set.of()))).isNotNull();
            assertThat(await(need.delete())).isTrue();
            other.commit();

            assertThat(created.join().rowCount()).isEqualTo(1);
        }
        assertThat(db.number("SELECT count(*) FROM jobs WHERE endpoint = 'another'"))
                .isEqualTo(1);
        assertThat(jobs()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void aDeleteOfWhatIsInUseOrInAnotherStateIsRefusedWithoutWaiting(Need need) {
        var _ = await(need.make());
        assertThat(await(need.use())).isNotNull();
        try (var creating = HeldTransaction.on(db)) {
            var _ = creating.run("SELECT 1 FROM endpoints WHERE name = $1 FOR KEY SHARE", ENDPOINT);

            assertThatThrownBy(() -> await(need.delete())).isInstanceOf(InUseException.class);
            assertThatThrownBy(() -> await(need.delete(db.database(), (_, _) -> false)))
                    .isInstanceOf(PreconditionFailedException.class);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aDeleteThatIsOnlyTriedWaitsForNoCreatorAndHoldsUpNone(Need need) {
        need.useAndLeave();
        try (var creating = HeldTransaction.on(db)) {
            var _ = creating.run("SELECT 1 FROM endpoints WHERE name = $1 FOR KEY SHARE", ENDPOINT);

            var tried = db.database().<Boolean>rehearse(rehearsal -> need.delete(rehearsal, Precondition.NONE));
            assertThat(await(tried)).isTrue();
        }
        assertThat(await(need.delete())).isTrue();
    }

    @Test
    void aRegistrationThatCameBetweenTheLooksOfADeleteIsSeen() {
        Need.CONFIG.useAndLeave();
        var settled = await(WaitingJobs.OF_CONFIG.settle(db.database(), "needed"));
        assertThat(await(Need.CONFIG.use())).isNotNull();
        assertThat(await(update(null, Set.of()))).isNotNull();

        assertThatThrownBy(() -> await(db.database()
                        .withTransaction(transaction -> WaitingJobs.OF_CONFIG.refuse(transaction, "needed", settled))))
                .isInstanceOf(InUseException.class);
        assertThat(await(Need.CONFIG.delete())).isTrue();
    }

    @Test
    void anEndpointIsNotDisabledForWhatItsVersionBeforeWasAnswered() throws InterruptedException {
        var breakers = new BreakerStore(db.database());
        try (var updating = HeldTransaction.on(db)) {
            var _ = updating.run(NEXT_VERSION, ENDPOINT);
            var disabled = updating.blocks(breakers.disable(ENDPOINT, 1, "its receiver answered 410"));
            updating.commit();

            assertThat(disabled.join()).isFalse();
        }
        assertThat(db.number("SELECT count(*) FROM disabled_endpoints")).isZero();
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
