package io.taskexec.scheduler;

import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.taskexec.model.Uuid7;
import io.taskexec.model.job.DstPolicy;
import io.taskexec.model.job.SchedulePolicy;
import io.taskexec.model.job.SchedulePolicy.CatchUp;
import io.taskexec.model.job.SchedulePolicy.Overlap;
import io.taskexec.model.job.Timetable;
import io.taskexec.model.job.Trigger;
import io.taskexec.observe.metrics.Meters;
import io.taskexec.store.job.BufferedTickStore;
import io.taskexec.store.job.CancelSignal;
import io.taskexec.store.job.CancelStore;
import io.taskexec.store.job.IdempotencyKeyStore;
import io.taskexec.store.job.LedgerStore;
import io.taskexec.store.job.NewJob;
import io.taskexec.store.job.NewJob.Result;
import io.taskexec.store.job.ScheduleControlStore;
import io.taskexec.store.job.ScheduleStore;
import io.taskexec.store.job.ScheduleStore.NewSchedule;
import io.taskexec.store.job.TickStore;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.testing.Rows;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;
import io.taskexec.testing.TestJob;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Schedules of any age on a real database, and the duty that moves them on; as an extension, empty for each test. */
final class ScheduleBed implements BeforeEachCallback, AfterAllCallback, AutoCloseable {
    private static final String UTC = "UTC";

    final TestDb db;
    final Rows rows;
    final ScheduleStore store;
    final TickStore tickStore;
    final ScheduleControlStore control;
    final LedgerStore ledger;
    final CancelStore cancelling;
    final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final Ticks duty;
    private final BufferedTicks buffering;

    ScheduleBed() {
        this(TestDb.fresh());
    }

    ScheduleBed(TestDb db) {
        this(db, "default");
    }

    ScheduleBed(TestDb db, String region) {
        this.db = db;
        rows = new Rows(db);
        var keys = new IdempotencyKeyStore(db.database(), () -> 24);
        store = new ScheduleStore(db.database(), keys, new DueSignal(), db.region(region));
        tickStore = new TickStore(db.database(), new DueSignal());
        control = new ScheduleControlStore(db.database(), new DueSignal());
        ledger = new LedgerStore(db.database(), new DueSignal());
        cancelling = Stores.cancelling(db.database(), new CancelSignal());
        var metrics = new TickMetrics(Meters.of(registry));
        buffering = new BufferedTicks(new BufferedTickStore(db.database(), new DueSignal()), metrics);
        duty = new Ticks(tickStore, new TestConfig(30), buffering, metrics, new DueSignal());
        rows.endpoint(ENDPOINT).insert();
    }

    void clear() {
        rows.clearJobs();
        for (var table : new String[] {"schedules", "ticks", "pauses"}) {
            var _ = db.execute("DELETE FROM " + table);
        }
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        clear();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        close();
    }

    @Override
    public void close() {
        db.close();
    }

    Spec cron(String expression, String zone) {
        return cron(expression, zone, DstPolicy.DEFAULT);
    }

    Spec cron(String expression, String zone, DstPolicy dst) {
        return new Spec(new Timetable.Cron(expression, zone, dst));
    }

    Spec minutely() {
        return cron("* * * * *", UTC);
    }

    Spec every(Duration every) {
        return new Spec(new Timetable.Every(every));
    }

    Duration runOnce() {
        return await(duty.runOnce());
    }

    void runUntilNothingIsDue() {
        for (var i = 0; i < 1000; i++) {
            if (!runOnce().isZero()) {
                return;
            }
        }
        throw new AssertionError("there is always more to do");
    }

    Duration releaseBuffered() {
        return await(buffering.runOnce());
    }

    /** What the executions of a job that have not ended are for, first to last. */
    List<Instant> live(UUID job) {
        return db.rows("SELECT run_at FROM exec_live WHERE job_id = $1 ORDER BY run_at", job).stream()
                .map(row -> row.getOffsetDateTime(0).toInstant())
                .toList();
    }

    /** Ends all executions of a job. */
    void endExecutions(UUID job) {
        var _ = db.execute("DELETE FROM exec_live WHERE job_id = $1", job);
    }

    /** The outcomes of a job's ticks, first to last. */
    List<String> outcomes(UUID job) {
        return db.rows("SELECT outcome FROM ticks WHERE job_id = $1 ORDER BY scheduled_at", job).stream()
                .map(row -> row.getString(0))
                .toList();
    }

    long count(UUID job, String outcome) {
        return db.number("SELECT count(*) FROM ticks WHERE job_id = $1 AND outcome = $2", job, outcome);
    }

    @Nullable
    Instant nextRunAt(UUID job) {
        var next = db.row("SELECT next_run_at FROM schedules WHERE job_id = $1", job)
                .getOffsetDateTime(0);
        return next == null ? null : next.toInstant();
    }

    /** A schedule that is to be created. */
    final class Spec {
        private final Timetable timetable;
        private Instant startsAt = Instant.EPOCH;
        private @Nullable Instant endsAt;
        private @Nullable Integer maxFires;
        private CatchUp catchUp = CatchUp.ALL;
        private Overlap overlap = Overlap.ALLOW;

        private Spec(Timetable timetable) {
            this.timetable = timetable;
        }

        Spec startsAt(Instant start) {
            startsAt = start;
            return this;
        }

        Spec endsAt(Instant end) {
            endsAt = end;
            return this;
        }

        Spec maxFires(int max) {
            maxFires = max;
            return this;
        }

        Spec catchUp(CatchUp wanted) {
            catchUp = wanted;
            return this;
        }

        Spec catchUp(CatchUp.Mode mode) {
            return catchUp(new CatchUp(mode, CatchUp.DEFAULT_MAX, null));
        }

        Spec overlap(Overlap wanted) {
            overlap = wanted;
            return this;
        }

        SchedulePolicy policy() {
            return new SchedulePolicy(startsAt, endsAt, maxFires, catchUp, overlap, Duration.ZERO);
        }

        /** As the next version of a schedule or as a new one, whose next tick is {@code next}. */
        NewSchedule as(UUID id, Instant next) {
            var job = new TestJob()
                    .id(id)
                    .trigger(Trigger.kind(timetable))
                    .key("")
                    .made();
            return as(job, next);
        }

        NewSchedule as(NewJob job, Instant next) {
            return new NewSchedule(job, timetable, policy(), next, "test");
        }

        /** Creates a schedule whose next tick is {@code next}; gives the id of its job. */
        UUID due(Instant next) {
            var id = Uuid7.next();
            assertThat(await(store.create(as(id, next)))).isInstanceOf(Result.Created.class);
            return id;
        }
    }
}
