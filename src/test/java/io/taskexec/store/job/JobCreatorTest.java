package io.taskexec.store.job;

import static io.taskexec.store.job.NewJobs.job;
import static io.taskexec.store.job.NewJobs.on;
import static io.taskexec.store.job.NewJobs.plain;
import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.TraceContext;
import io.taskexec.model.delivery.Claim;
import io.taskexec.model.job.ExecutionStatus;
import io.taskexec.store.execution.ClaimStatement;
import io.taskexec.store.execution.ResultStatement;
import io.taskexec.store.job.NewJob.Result;
import io.taskexec.store.region.HomeRegion;
import io.taskexec.store.sql.Connections;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.Lanes;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.testing.JobForms;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@StoreTest
class JobCreatorTest {
    private static final String CHECKED = "checked";

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private final DueSignal dueSignal = new DueSignal();
    private JobCreator creator;
    private static IdempotencyKeyStore keys;

    @BeforeAll
    static void open() {
        keys = new IdempotencyKeyStore(db.database(), () -> 24);
        rows.payloadSpec("shape", 2);
        rows.endpoint(ENDPOINT).version(NewJobs.VERSION).insert();
        rows.endpoint(CHECKED).payloadSpec("shape").insert();
    }

    @BeforeEach
    void clear() {
        creator = Stores.creator(db.database(), keys, dueSignal, db.region("default"));
    }

    private Result create(NewJob job) {
        return await(creator.create(job));
    }

    private List<Result> createAtOnce(List<NewJob> jobs) {
        return await(Uni.join().all(jobs.stream().map(creator::create).toList()).andFailFast());
    }

    @Test
    void aJobIsCreatedWithItsExecutionUnderOneId() {
        var job = job("one");

        assertThat(create(job)).isInstanceOfSatisfying(Result.Created.class, created -> {
            assertThat(created.status()).isEqualTo(ExecutionStatus.QUEUED);
            assertThat(created.runAt()).isEqualTo(created.createdAt());
            assertThat(created.createdAt()).isCloseTo(Instant.now(), within(10, ChronoUnit.SECONDS));
        });
        var row = db.row("""
                SELECT j.endpoint_version, j.lane, j.input::text AS input, l.execution_id, l.lane AS live_lane,
                  l.attempt
                FROM jobs j JOIN exec_live l ON l.job_id = j.job_id WHERE j.job_id = $1
                """, job.id());
        assertThat(row.getUUID("execution_id")).isEqualTo(job.id());
        assertThat(row.getInteger("endpoint_version")).isEqualTo(3);
        assertThat(row.getInteger("lane")).isEqualTo(4);
        assertThat(row.getInteger("live_lane")).isEqualTo(4);
        assertThat(row.getInteger("attempt")).isZero();
        assertThat(row.getString("input")).isEqualTo("{\"n\":12.50}");
    }

    @Test
    void theSameKeyAgainIsADuplicateAndCreatesNothing() {
        var first = job("again");
        assertThat(create(first)).isInstanceOf(Result.Created.class);

        assertThat(create(job("again"))).isEqualTo(new Result.Duplicate(first.id(), true));
        assertThat(db.number("SELECT count(*) FROM jobs")).isEqualTo(1);
        assertThat(db.number("SELECT count(*) FROM exec_live")).isEqualTo(1);
    }

    @Test
    void aKeyThatAnotherRequestUsedIsADuplicateOfAnotherRequest() {
        var first = job("taken");
        var other = plain("taken").fingerprint(UUID.randomUUID()).made();
        assertThat(create(first)).isInstanceOf(Result.Created.class);

        assertThat(create(other)).isEqualTo(new Result.Duplicate(first.id(), false));
    }

    @Test
    void aKeyOfAnotherEndpointIsAnotherKey() {
        var first = job("shared");
        var other = plain("shared").endpoint(CHECKED, 1).payloadSpec(2).made();

        assertThat(create(first)).isInstanceOf(Result.Created.class);
        assertThat(create(other)).isInstanceOf(Result.Created.class);
    }

    @Test
    void aKeyThatHasExpiredIsFreeAndOneThatIsAboutToIsNot() {
        var recent = job("recent");
        var _ = createAtOnce(List.of(job("old"), recent));
        db.execute("DELETE FROM exec_live");
        rows.ageKey("old", Duration.ofHours(24));
        rows.ageKey("recent", Duration.ofHours(24).minusMinutes(1));
        var again = job("old");
        var more = job("old");

        var results = createAtOnce(List.of(again, job("recent"), more));

        // They may go in two statements at once, of which either may come first.
        var winner = results.getFirst() instanceof Result.Created ? again : more;
        assertThat(results)
                .satisfiesOnlyOnce(result -> assertThat(result).isInstanceOf(Result.Created.class))
                .contains(new Result.Duplicate(winner.id(), true), new Result.Duplicate(recent.id(), true));
        assertThat(db.number("SELECT count(*) FROM jobs")).isEqualTo(3);
    }

    @Test
    void aJobIsFoundByEachOfItsTags() {
        var job = plain("tagged").tags(Set.of("a", "b:1")).made();
        var _ = createAtOnce(List.of(job, job("untagged")));

        assertThat(db.rows("SELECT tag FROM job_tags WHERE job_id = $1 ORDER BY tag", job.id()))
                .extracting(row -> row.getString(0))
                .containsExactly("a", "b:1");
        assertThat(db.number("SELECT count(*) FROM job_tags")).isEqualTo(2);
    }

    @Test
    void theTraceOfAJobComesWithItsClaim() {
        var trace = new TraceContext("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7", false, "a=1,b=x y");
        var traced = plain("traced").trace(trace).made();
        var untraced = job("untraced");
        var damaged = plain("damaged").trace(trace).made();
        var _ = createAtOnce(List.of(traced, untraced, damaged));
        db.execute("UPDATE jobs SET trace = 'nonsense' WHERE job_id = $1", damaged.id());

        var claims = await(Stores.leases(db.database(), dueSignal)
                .claim(Lanes.of(List.of(0)), 10, Duration.ofMinutes(1), UUID.randomUUID()));

        assertThat(claims)
                .extracting(Claim::jobId, Claim::trace)
                .containsExactlyInAnyOrder(
                        tuple(traced.id(), trace), tuple(untraced.id(), null), tuple(damaged.id(), null));
    }

    @Test
    void theStatementsOfEveryJobStayPrepared() {
        assertThat(List.of(
                        JobInsert.of(JobForms.PLAIN, HomeRegion.DEFAULT),
                        JobInsert.of(JobForms.TAGGED, HomeRegion.DEFAULT),
                        JobInsert.of(JobForms.STARTING, HomeRegion.DEFAULT),
                        ClaimStatement.MARKED_MEASURED,
                        ResultStatement.END_WITH_CALLBACKS))
                .allSatisfy(change -> assertThat(change.withEvents()).hasSizeLessThan(Connections.LONGEST_PREPARED));
    }

    @Test
    void aJobWaitsInTheLaneOfItsQueueAndPriority() {
        var job = plain("placed").queue(3).made();
        var _ = create(job);

        assertThat(db.number("SELECT lane FROM exec_live WHERE execution_id = $1", job.id()))
                .isEqualTo(3 * 128 + 4);
    }

    @Test
    void theSameStatementTwiceStillCountsAsCreated() {
        var job = job("lost answer");
        var first = create(job);

        assertThat(first).isInstanceOf(Result.Created.class);
        assertThat(create(job)).isEqualTo(first);
        assertThat(db.number("SELECT count(*) FROM exec_live")).isEqualTo(1);
    }

    @Test
    void whatWasCheckedAgainstAnotherVersionIsStaleAndTheKeyStaysFree() {
        assertThat(create(on(ENDPOINT, 2, 0))).isEqualTo(new Result.Stale());
        assertThat(create(on(ENDPOINT, 4, 0))).isEqualTo(new Result.Stale());
        assertThat(create(on(ENDPOINT, 3, 1))).isEqualTo(new Result.Stale());
        assertThat(create(on(CHECKED, 1, 1))).isEqualTo(new Result.Stale());
        assertThat(create(on(CHECKED, 1, 0))).isEqualTo(new Result.Stale());
        assertThat(create(on("unknown", 1, 0))).isEqualTo(new Result.Stale());
        assertThat(db.number("SELECT count(*) FROM idempotency_keys")).isZero();
        assertThat(db.number("SELECT count(*) FROM jobs")).isZero();
        assertThat(create(on(CHECKED, 1, 2))).isInstanceOf(Result.Created.class);
    }

    @Test
    void aHundredAtOnceWithTheSameKeyAreOneJob() {
        // Several creators are several processes: each has a batcher of its own, and their statements really compete.
        var creators = IntStream.range(0, 5)
                .mapToObj(_ -> Stores.creator(db.database(), keys, dueSignal, db.region("default")))
                .toList();
        var jobs = IntStream.range(0, 100).mapToObj(_ -> job("hundred")).toList();

        var results = await(Uni.join()
                .all(IntStream.range(0, 100)
                        .mapToObj(i -> creators.get(i % 5).create(jobs.get(i)))
                        .toList())
                .andFailFast());

        var created = IntStream.range(0, 100)
                .filter(i -> results.get(i) instanceof Result.Created)
                .boxed()
                .toList();
        assertThat(created).hasSize(1);
        var id = jobs.get(created.getFirst()).id();
        assertThat(results.stream().filter(result -> result.equals(new Result.Duplicate(id, true))))
                .hasSize(99);
        assertThat(db.number("SELECT count(*) FROM jobs")).isEqualTo(1);
        assertThat(db.row("SELECT execution_id FROM exec_live").getUUID(0)).isEqualTo(id);
    }

    @Test
    void batchesThatCrossInTheirKeysDoNotDeadlockForGood() {
        var one = Stores.creator(db.database(), keys, dueSignal, db.region("default"));
        var other = Stores.creator(db.database(), keys, dueSignal, db.region("default"));
        var wishes = new ArrayList<Uni<Result>>();
        for (var i = 0; i < 500; i++) {
            wishes.add(one.create(job("cross" + i)));
            wishes.add(other.create(job("cross" + (499 - i))));
        }

        var results = await(Uni.join().all(wishes).andFailFast());

        assertThat(results.stream().filter(Result.Created.class::isInstance)).hasSize(500);
        assertThat(db.number("SELECT count(*) FROM exec_live")).isEqualTo(500);
    }

    @Test
    void inOneBatchTheFirstOfAKeyIsCreatedAndEachGetsItsOwnResult() {
        var filler = job("filler");
        var first = job("twin");
        var second = job("twin");
        var stale = on(ENDPOINT, 1, 0);
        var lone = job("lone");

        var results = createAtOnce(List.of(filler, filler, first, second, stale, lone));

        assertThat(results.get(2)).isInstanceOf(Result.Created.class);
        assertThat(results.get(3)).isEqualTo(new Result.Duplicate(first.id(), true));
        assertThat(results.get(4)).isEqualTo(new Result.Stale());
        assertThat(results.get(5)).isInstanceOf(Result.Created.class);
    }

    @Test
    void anInputThatTheDatabaseRefusesFailsAlone() {
        var good = IntStream.range(0, 20).mapToObj(i -> job("good" + i)).toList();
        var bad = job("bad\0key");
        var wishes = new ArrayList<>(good.stream().map(creator::create).toList());
        wishes.add(7, creator.create(bad).onFailure().recoverWithItem(new Result.Duplicate(bad.id(), false)));

        var results = await(Uni.join().all(wishes).andFailFast());

        assertThat(results.get(7)).isInstanceOf(Result.Duplicate.class);
        assertThat(results.stream().filter(Result.Created.class::isInstance)).hasSize(20);
        assertThatThrownBy(() -> create(bad)).matches(Database::blamesData);
    }
}
