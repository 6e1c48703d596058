package io.taskexec.check;

import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.Finding;
import io.taskexec.model.PublicId;
import io.taskexec.model.Uuid7;
import io.taskexec.model.job.TickId;
import io.taskexec.store.invariant.InvariantStore;
import io.taskexec.store.job.LedgerStore;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.testing.TestDb;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;

/** Looks with the probe at a database, and says what it has to find. */
final class ProbeBed {
    private final TestDb db;
    private final Probe probe;
    private final Instant hour = Instant.now().truncatedTo(ChronoUnit.HOURS);

    /** Removes what {@link io.taskexec.testing.Rows#clearJobs} leaves. */
    ProbeBed(TestDb db) {
        this.db = db;
        this.probe =
                new Probe(new InvariantStore(db.database(), () -> 24), new LedgerStore(db.database(), new DueSignal()));
        for (var table : new String[] {"schedules", "ticks", "region_heartbeats", "region_status"}) {
            var _ = db.execute("DELETE FROM " + table);
        }
    }

    /** The hour that has begun last. */
    Instant hour() {
        return hour;
    }

    List<Finding> look(CheckDepth depth) {
        return await(probe.look(depth));
    }

    List<Finding> found() {
        return look(CheckDepth.THOROUGH).stream()
                .filter(finding -> finding.count() > 0)
                .toList();
    }

    void assertClean() {
        assertThat(found()).isEmpty();
    }

    void assertFound(String name, String... examples) {
        assertThat(found()).singleElement().satisfies(finding -> {
            assertThat(finding.invariant().name()).isEqualTo(name);
            assertThat(finding.count()).isEqualTo(examples.length);
            assertThat(finding.examples()).containsExactlyInAnyOrder(examples);
        });
    }

    static String exec(UUID id) {
        return PublicId.EXECUTION.show(id);
    }

    static String job(UUID id) {
        return PublicId.JOB.show(id);
    }

    void deleteJob(UUID id) {
        assertThat(db.execute("DELETE FROM jobs WHERE job_id = $1", id)).isEqualTo(1);
    }

    /** An hourly schedule with a line for each of its last {@code hours} ticks. */
    UUID schedule(int hours) {
        var id = Uuid7.next();
        var start = hour.minus(Duration.ofHours(hours)).atOffset(ZoneOffset.UTC);
        db.execute(
                "INSERT INTO jobs (job_id, endpoint, endpoint_version, trigger_type, lane, created_at)"
                        + " VALUES ($1, $2, 1, 'CRON', 4, $3::timestamptz - interval '1 minute')",
                id,
                ENDPOINT,
                start);
        db.execute(
                "INSERT INTO schedules (job_id, root_id, cron_expression, timezone, starts_at, next_run_at)"
                        + " VALUES ($1, $1, '0 * * * *', 'UTC', $2, $3)",
                id,
                start,
                hour.plus(Duration.ofHours(1)).atOffset(ZoneOffset.UTC));
        for (var ago = 0; ago <= hours; ago++) {
            var at = hour.minus(Duration.ofHours(ago));
            db.execute(
                    "INSERT INTO ticks VALUES ($1, $2, 'FIRED', $3, 0)",
                    id,
                    at.atOffset(ZoneOffset.UTC),
                    TickId.of(id, at));
        }
        return id;
    }
}
