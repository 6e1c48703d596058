package io.taskexec.store.endpoint;

import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.job.SchedulePolicy;
import io.taskexec.model.job.SchedulePolicy.CatchUp;
import io.taskexec.model.job.SchedulePolicy.Overlap;
import io.taskexec.model.job.Timetable;
import io.taskexec.model.queue.QueueDetails.Settings;
import io.taskexec.store.execution.ReplayStore;
import io.taskexec.store.job.IdempotencyKeyStore;
import io.taskexec.store.job.JobCreator;
import io.taskexec.store.job.JobForm;
import io.taskexec.store.job.JobInsert;
import io.taskexec.store.job.JobParameters;
import io.taskexec.store.job.NewJob;
import io.taskexec.store.job.NewJob.Result;
import io.taskexec.store.job.ScheduleStore;
import io.taskexec.store.job.ScheduleStore.NewSchedule;
import io.taskexec.store.region.HomeRegion;
import io.taskexec.store.region.RegionFilter;
import io.taskexec.store.sql.InUseException;
import io.taskexec.store.sql.Lanes;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.testing.HeldTransaction;
import io.taskexec.testing.NeedsOwnServer;
import io.taskexec.testing.Registrations;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;
import io.taskexec.testing.TestJob;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The deletion of a queue meets something that names it: one of the two loses. */
@NeedsOwnServer("It asks PostgreSQL who waits for whom.")
@StoreTest
class QueueRacesTest {
    private static final int CLIENTS = 10;
    private static final int ROUNDS = 20;
    private static final String LOCK_AWAY = "SELECT 1 FROM queues WHERE name = 'mail' FOR UPDATE";
    private static final String DELETE = "UPDATE queues SET deleted_at = now() WHERE name = 'mail'";

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private static QueueSettingsStore queues;
    private static RegionFilter region;
    private static JobCreator creator;

    private int queueId;

    @BeforeAll
    static void open() {
        queues = new QueueSettingsStore(db.database());
        region = db.region("default");
        await(region.refresh());
        creator = Stores.creator(db.database(), keys(), new DueSignal(), region);
    }

    private static IdempotencyKeyStore keys() {
        return new IdempotencyKeyStore(db.database(), () -> 24);
    }

    @BeforeEach
    void clear() {
        rows.clearJobs();
        for (var table : new String[] {"schedules", "replays", "endpoints", "endpoint_versions"}) {
            db.execute("DELETE FROM " + table);
        }
        db.execute("DELETE FROM queues WHERE queue_id > 0");
        rows.endpoint(ENDPOINT).insert();
        var _ = await(queues.create("mail", Settings.DEFAULT));
        queueId = (int) db.number("SELECT queue_id FROM queues WHERE name = 'mail'");
    }

    private static NewJob job(String trigger, String key, int queue) {
        return new TestJob().trigger(trigger).key(key).ownQueue(queue).made();
    }

    private Uni<Result> create(String trigger) {
        if (trigger.equals("IMMEDIATE")) {
            return creator.create(job(trigger, UUID.randomUUID().toString(), queueId));
        }
        var policy = new SchedulePolicy(Instant.now(), null, null, CatchUp.ALL, Overlap.ALLOW, Duration.ZERO);
        var every = new Timetable.Every(Duration.ofHours(1));
        return new ScheduleStore(db.database(), keys(), new DueSignal(), region)
                .create(new NewSchedule(
                        job(trigger, "", queueId), every, policy, Instant.now().plusSeconds(3600), "test"));
    }

    private static Uni<Boolean> delete() {
        return queues.delete("mail", Precondition.NONE);
    }

    private static long jobs() {
        return db.number("SELECT count(*) FROM jobs");
    }

    @ParameterizedTest
    @ValueSource(strings = {"IMMEDIATE", "INTERVAL"})
    void noJobIsCreatedInAQueueThatIsJustBeingDeleted(String trigger) throws InterruptedException {
        try (var deleting = HeldTransaction.on(db)) {
            var _ = deleting.run(LOCK_AWAY);
            var _ = deleting.run(DELETE);
            var created = deleting.blocks(create(trigger));
            deleting.commit();

            assertThat(created.join()).isInstanceOf(Result.Stale.class);
        }
        assertThat(jobs()).isZero();
    }

    /** Its statement began before the deletion, and had to wait for another queue first. */
    @Test
    void noJobIsCreatedInAQueueThatIsGoneHoweverLongItsStatementWaited() throws InterruptedException {
        var inMail = job("IMMEDIATE", "1", queueId);
        var _ = await(queues.create("later", Settings.DEFAULT));
        var inLater = job("IMMEDIATE", "2", (int) db.number("SELECT queue_id FROM queues WHERE name = 'later'"));
        var jobs = List.of(inMail, inLater);
        var form = JobForm.of(jobs);
        var sql = JobInsert.of(form, HomeRegion.DEFAULT).alone();
        try (var other = HeldTransaction.on(db)) {
            var _ = other.run(LOCK_AWAY);
            var created = other.blocks(db.database().run(sql, JobParameters.of(jobs, 0, form)));
            assertThat(await(queues.delete("later", Precondition.NONE))).isTrue();
            other.commit();

            assertThat(created.join().rowCount()).isEqualTo(1);
        }
        assertThat(db.number("SELECT count(*) FROM exec_live WHERE lane >> 7 = $1", queueId))
                .isEqualTo(1);
        assertThat(jobs()).isEqualTo(1);
    }

    @Test
    void aDeleteWaitsForACreationThatIsUnderWayAndThenSeesItsJob() throws InterruptedException {
        try (var creating = HeldTransaction.on(db)) {
            var _ = creating.run("SELECT 1 FROM queues WHERE name = 'mail' FOR KEY SHARE");
            var deleted = creating.blocks(delete());
            var _ = creating.run(
                    "INSERT INTO exec_live (execution_id, job_id, lane, visible_at, run_at, created_at)"
                            + " VALUES ($1, $1, $2, now(), now(), now())",
                    UUID.randomUUID(),
                    Lanes.lane(queueId, 0, false, 4));
            creating.commit();

            assertThatThrownBy(deleted::join)
                    .isInstanceOf(CompletionException.class)
                    .hasCauseInstanceOf(InUseException.class);
        }
    }

    @Test
    void creatorsPausesAndChangesDoNotWaitForEachOther() {
        try (var creating = HeldTransaction.on(db);
                var pausing = HeldTransaction.on(db)) {
            var _ = creating.run("SELECT 1 FROM queues WHERE name = 'mail' FOR KEY SHARE");
            assertThat(Objects.requireNonNull(await(queues.pause("mail", null, null)))
                            .pause())
                    .isNotNull();
            var _ = pausing.run("UPDATE queues SET paused_at = NULL WHERE name = 'mail'");

            assertThat(await(create("IMMEDIATE"))).isInstanceOf(Result.Created.class);
            assertThat(await(create("INTERVAL"))).isInstanceOf(Result.Created.class);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"IMMEDIATE", "INTERVAL"})
    void ofADeleteAndACreationAtOnceOneLoses(String trigger) {
        for (var round = 0; round < ROUNDS; round++) {
            clear();

            var results = await(Uni.join()
                    .all(IntStream.range(0, CLIENTS)
                            .mapToObj(i -> i == CLIENTS / 2
                                    ? delete().onFailure(InUseException.class).recoverWithItem(false)
                                    : create(trigger).map(result -> result instanceof Result.Created))
                            .toList())
                    .andFailFast());

            var deleted = results.remove(CLIENTS / 2);
            assertThat(results).as("round " + round).containsOnly(!deleted);
            assertThat(jobs()).isEqualTo(deleted ? 0 : CLIENTS - 1);
        }
    }

    @Test
    void anEndpointThatNamesAQueueThatIsJustBeingDeletedCreatesItAgain() throws InterruptedException {
        var endpoints = new EndpointStore(db.database());
        var registration = Registrations.of(ENDPOINT, null, "mail", Set.of());
        try (var deleting = HeldTransaction.on(db)) {
            var _ = deleting.run(LOCK_AWAY);
            var _ = deleting.run(DELETE);
            var updated = deleting.blocks(endpoints.update(registration, Precondition.NONE));
            deleting.commit();

            assertThat(Objects.requireNonNull(updated.join()).queue().id()).isEqualTo(queueId);
        }
        assertThat(await(queues.find("mail"))).isNotNull();
        assertThatThrownBy(() -> await(delete())).isInstanceOf(InUseException.class);
    }

    @Test
    void aReplayIntoAQueueThatIsJustBeingDeletedWaitsInThatOfTheEndpoint() throws InterruptedException {
        var id = rows.finished().status("FAILED").insert();
        db.execute("UPDATE jobs SET lane = $1", Lanes.lane(queueId, 0, false, 4));
        db.execute("UPDATE executions SET lane = $1", Lanes.lane(queueId, 0, false, 4));
        var replays = new ReplayStore(db.database(), new DueSignal(), region);
        assertThat(await(replays.replay(id, UUID.randomUUID()))).isTrue();
        assertThat(db.number("SELECT lane FROM exec_live")).isEqualTo(Lanes.lane(queueId, 0, false, 4));
        db.execute("DELETE FROM exec_live");

        try (var deleting = HeldTransaction.on(db)) {
            var _ = deleting.run(LOCK_AWAY);
            var _ = deleting.run(DELETE);
            var replayed = deleting.blocks(replays.replay(id, UUID.randomUUID()));
            deleting.commit();

            assertThat(replayed.join()).isTrue();
        }
        assertThat(db.number("SELECT lane FROM exec_live")).isEqualTo(Lanes.lane(0, 0, false, 4));
    }
}
