package io.taskexec.store.job;

import static io.taskexec.store.job.NewJobs.at;
import static io.taskexec.store.job.NewJobs.job;
import static io.taskexec.store.job.NewJobs.on;
import static io.taskexec.store.job.NewJobs.plain;
import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.job.ExecutionStatus;
import io.taskexec.model.job.Expiry;
import io.taskexec.store.job.NewJob.Result;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.store.wakeup.DueSignal.Work;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The times of jobs that are created: when they are due, and when they expire. */
@StoreTest
class JobTimesTest {
    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private final AtomicInteger signals = new AtomicInteger();
    private JobCreator creator;

    @BeforeAll
    static void open() {
        rows.endpoint(ENDPOINT).version(NewJobs.VERSION).insert();
    }

    @BeforeEach
    void listen() {
        var dueSignal = new DueSignal();
        dueSignal.onSignal(Work.PUSHED, signals::incrementAndGet);
        var keys = new IdempotencyKeyStore(db.database(), () -> 24);
        creator = Stores.creator(db.database(), keys, dueSignal, db.region("default"));
    }

    private Result create(NewJob job) {
        return await(creator.create(job));
    }

    @Test
    void aDelayCountsFromTheDatabasesClock() {
        var job = at(null, Duration.ofMinutes(90));

        assertThat(create(job)).isInstanceOfSatisfying(Result.Created.class, created -> {
            assertThat(created.status()).isEqualTo(ExecutionStatus.PENDING);
            assertThat(Duration.between(created.createdAt(), created.runAt())).isEqualTo(Duration.ofMinutes(90));
        });
        assertThat(db.number("""
                        SELECT count(*) FROM exec_live
                        WHERE visible_at = created_at + interval '90 minutes' AND run_at = visible_at AND lane = 2
                        """)).isEqualTo(1);
    }

    @Test
    void aTimeIsKeptAsGivenAndOneInThePastIsDueAtOnce() {
        // In the hour that the session's zone has twice.
        var future = Instant.parse("2031-11-02T09:30:00.123456Z");
        var past = Instant.parse("2020-03-08T10:30:00Z");

        assertThat(create(at(future, Duration.ZERO))).isInstanceOfSatisfying(Result.Created.class, created -> {
            assertThat(created.runAt()).isEqualTo(future);
            assertThat(created.status()).isEqualTo(ExecutionStatus.PENDING);
        });
        assertThat(create(at(past, Duration.ZERO))).isInstanceOfSatisfying(Result.Created.class, created -> {
            assertThat(created.runAt()).isEqualTo(past);
            assertThat(created.status()).isEqualTo(ExecutionStatus.QUEUED);
        });
        assertThat(db.number("SELECT count(*) FROM exec_live WHERE visible_at >= created_at"))
                .isEqualTo(2);
    }

    @Test
    void whatIsDueSoonRaisesTheSignalAndNothingElseDoes() {
        assertThat(create(job("now"))).isInstanceOf(Result.Created.class);
        assertThat(signals).hasValue(1);
        assertThat(create(at(null, Duration.ofSeconds(2)))).isInstanceOf(Result.Created.class);
        assertThat(signals).hasValue(2);

        assertThat(create(job("now"))).isInstanceOf(Result.Duplicate.class);
        assertThat(create(on("unknown", 1, 0))).isInstanceOf(Result.Stale.class);
        assertThat(create(at(null, Duration.ofHours(1)))).isInstanceOf(Result.Created.class);
        // This one is for pull workers, and the signal is that of the others.
        assertThat(create(plain("now too").pulled().made())).isInstanceOf(Result.Created.class);
        assertThat(signals).hasValue(2);
    }

    private static long expiring(NewJob job, String condition) {
        return db.number(
                "SELECT count(*) FROM exec_live l JOIN jobs j ON j.job_id = l.job_id"
                        + " WHERE l.execution_id = $1 AND " + condition,
                job.id());
    }

    @Test
    void anExecutionExpiresByTheEarliestOfItsTimes() {
        var deadline = Instant.parse("2099-01-01T00:00:00Z");
        var ttl = plain("ttl")
                .expiry(new Expiry(Duration.ofMinutes(5), null, deadline))
                .made();
        var time = plain("time")
                .expiry(new Expiry(null, deadline.minusSeconds(60), null))
                .made();
        var never = job("never");

        for (var job : List.of(ttl, time, never)) {
            assertThat(await(creator.create(job))).isInstanceOf(Result.Created.class);
        }

        assertThat(expiring(
                        ttl,
                        "l.expires_at = l.run_at + interval '5 minutes' AND l.deadline = j.deadline"
                                + " AND j.ttl_ms = 300000"))
                .isEqualTo(1);
        assertThat(expiring(time, "l.expires_at = j.expires_at AND l.deadline IS NULL AND j.ttl_ms IS NULL"))
                .isEqualTo(1);
        assertThat(expiring(never, "l.expires_at IS NULL AND j.ttl_ms IS NULL")).isEqualTo(1);
    }
}
