package io.taskexec.store.endpoint;

import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.Rows.json;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.endpoint.Endpoint;
import io.taskexec.model.queue.QueueDetails;
import io.taskexec.store.job.IdempotencyKeyStore;
import io.taskexec.store.job.JobCreator;
import io.taskexec.store.job.JobForm;
import io.taskexec.store.job.JobInsert;
import io.taskexec.store.job.JobParameters;
import io.taskexec.store.job.NewJob;
import io.taskexec.store.job.NewJob.Result;
import io.taskexec.store.region.HomeRegion;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.InUseException;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.HeldTransaction;
import io.taskexec.testing.NeedsOwnServer;
import io.taskexec.testing.Registrations;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;
import io.taskexec.testing.TestJob;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A new version of an endpoint meets the creation of a job on it, or the deletion of what its version needs. */
@NeedsOwnServer("It asks PostgreSQL who waits for whom.")
@StoreTest
class VersionRacesTest {
    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private static EndpointStore endpoints;
    private static JobCreator creator;

    @BeforeAll
    static void open() {
        endpoints = new EndpointStore(db.database());
        var region = db.region("default");
        await(region.refresh());
        creator = Stores.creator(
                db.database(), new IdempotencyKeyStore(db.database(), () -> 24), new DueSignal(), region);
    }

    @BeforeEach
    void clear() {
        for (var table : new String[] {
            "endpoint_secrets", "endpoints", "endpoint_versions", "configs", "config_versions", "secrets"
        }) {
            db.execute("DELETE FROM " + table);
        }
        db.execute("DELETE FROM exec_live");
        db.execute("DELETE FROM queues WHERE queue_id > 0");
        rows.endpoint(ENDPOINT).insert();
    }

    private static Uni<@Nullable Endpoint> update(@Nullable String config, Set<String> secrets) {
        return endpoints.update(Registrations.of(ENDPOINT, config, "default", secrets), Precondition.NONE);
    }

    private static NewJob on(String endpoint, int version, int queueId) {
        return new TestJob().endpoint(endpoint, version).queue(queueId).made();
    }

    private static long waiting() {
        return db.number("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                + " AND datname = current_database()");
    }

    private static long jobs() {
        return db.number("SELECT count(*) FROM jobs");
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
        },
        QUEUE {
            @Override
            Uni<?> make() {
                return new QueueSettingsStore(db.database()).create("needed", QueueDetails.Settings.DEFAULT);
            }

            @Override
            Uni<@Nullable Endpoint> use() {
                return endpoints.update(Registrations.of(ENDPOINT, null, "needed", Set.of()), Precondition.NONE);
            }

            @Override
            Uni<Boolean> delete(Database database, Precondition condition) {
                return new QueueSettingsStore(database).delete("needed", condition);
            }
        };

        /** The queue of jobs on version 2. */
        int queueId() {
            return this == QUEUE ? (int) db.number("SELECT queue_id FROM queues WHERE name = 'needed'") : 0;
        }

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

    @Test
    void aNewVersionDoesNotWaitForCreators() {
        try (var creating = HeldTransaction.on(db)) {
            var _ = creating.run("SELECT 1 FROM endpoints WHERE name = $1 FOR KEY SHARE", ENDPOINT);

            assertThat(Objects.requireNonNull(await(endpoints.update(Registrations.of(ENDPOINT), Precondition.NONE)))
                            .version())
                    .isEqualTo(2);
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatAJobNeedsThatIsJustBeingCreatedIsNotDeleted(Need need) throws InterruptedException {
        var _ = await(need.make());
        assertThat(await(need.use())).isNotNull();
        // Who has the same key keeps it from its end.
        try (var key = HeldTransaction.on(db)) {
            var job = on(ENDPOINT, 2, need.queueId());
            var _ = key.run(
                    "INSERT INTO idempotency_keys VALUES ($1, $2, $3, $4, now())",
                    ENDPOINT,
                    job.idempotencyKey(),
                    UUID.randomUUID(),
                    UUID.randomUUID());
            var created = key.blocks(creator.create(job));
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
        var jobs = List.of(on("another", 1, 0), on(ENDPOINT, 2, need.queueId()));
        var form = JobForm.of(jobs);
        var sql = JobInsert.of(form, HomeRegion.DEFAULT).alone();
        try (var other = HeldTransaction.on(db)) {
            var _ = other.run("SELECT 1 FROM endpoints WHERE name = 'another' FOR UPDATE");
            var created = other.blocks(db.database().run(sql, JobParameters.of(jobs, 0, form)));
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
            var _ = updating.run("UPDATE endpoints SET version = version + 1 WHERE name = $1", ENDPOINT);
            var disabled = updating.blocks(breakers.disable(ENDPOINT, 1, "its receiver answered 410"));
            updating.commit();

            assertThat(disabled.join()).isFalse();
        }
        assertThat(db.number("SELECT count(*) FROM disabled_endpoints")).isZero();
    }

    @ParameterizedTest
    @EnumSource(names = {"CONFIG", "SECRET"})
    void whatAReplayNeedsIsNotDeletedAlthoughItsJobIsOnAnotherVersion(Need need) {
        rows.live().endpoint(ENDPOINT).insert();
        need.useAndLeave();

        db.execute("UPDATE exec_live SET execution_id = $1, endpoint_version = 2", UUID.randomUUID());
        assertThatThrownBy(() -> await(need.delete())).isInstanceOf(InUseException.class);
        db.execute("UPDATE exec_live SET endpoint_version = 3");
        assertThat(await(need.delete())).isTrue();
    }
}
