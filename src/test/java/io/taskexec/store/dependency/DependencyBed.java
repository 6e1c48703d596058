package io.taskexec.store.dependency;

import static io.taskexec.testing.TestDb.awaitRepeated;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.delivery.Claim;
import io.taskexec.model.delivery.Transition;
import io.taskexec.model.dependency.Dependencies;
import io.taskexec.model.dependency.TriggerRule;
import io.taskexec.store.execution.LeaseStore;
import io.taskexec.store.execution.ResultRecorder;
import io.taskexec.store.flow.FlowReleases;
import io.taskexec.store.job.IdempotencyKeyStore;
import io.taskexec.store.job.JobCreator;
import io.taskexec.store.job.NewJob;
import io.taskexec.store.sql.Lanes;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Rows;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;
import io.taskexec.testing.TestJob;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One process of those that create, claim and end jobs with parents. */
final class DependencyBed {
    static final String ENDPOINT = "step";
    private static final Integer[] LANES = Lanes.of(List.of(0));
    private static final Duration LEASE = Duration.ofSeconds(60);
    private static final Duration BOUND = Duration.ofSeconds(30);
    private static final UUID FINGERPRINT = UUID.randomUUID();

    private final TestDb db;
    private final UUID worker = UUID.randomUUID();
    private final Map<UUID, Claim> claims = new HashMap<>();
    final JobCreator creator;
    final LeaseStore leases;
    final ResultRecorder recorder;
    private final ResultRecorder dying;
    final DependencyReleases dependencyReleases;

    DependencyBed(TestDb db) {
        this.db = db;
        var signal = new DueSignal();
        var keys = new IdempotencyKeyStore(db.database(), () -> 24);
        creator = Stores.creator(db.database(), keys, signal, db.region("default"));
        leases = Stores.leases(db.database());
        recorder = Stores.recorder(db.database());
        dying = new ResultRecorder(
                db.database(), signal, new FlowReleases(db.database(), signal), DependencyReleases.none(db.database()));
        dependencyReleases = new DependencyReleases(db.database(), signal);
    }

    static NewJob job() {
        return plain().made();
    }

    /** A job to be changed. */
    static TestJob plain() {
        return new TestJob().endpoint(ENDPOINT, 1).fingerprint(FINGERPRINT);
    }

    static NewJob child(Dependencies parents) {
        return plain().waitingFor(parents).made();
    }

    static Dependencies on(TriggerRule rule, UUID... parents) {
        return new Dependencies(
                Stream.of(parents)
                        .map(id -> new Dependencies.Parent(id, id.toString()))
                        .toList(),
                rule);
    }

    NewJob.Result create(NewJob job) {
        return awaitRepeated(() -> creator.create(job));
    }

    /** Creates a job that waits for others. */
    UUID child(TriggerRule rule, UUID... parents) {
        var job = child(on(rule, parents));
        assertThat(create(job)).isInstanceOf(NewJob.Result.Created.class);
        return job.id();
    }

    UUID root() {
        var job = job();
        assertThat(create(job)).isInstanceOf(NewJob.Result.Created.class);
        return job.id();
    }

    List<Claim> claim(int most) {
        return awaitRepeated(() -> leases.claim(LANES, most, LEASE, worker));
    }

    /** The claim of an execution, which must be due or have been. */
    Claim claimed(UUID id) {
        claim(1_000).forEach(claim -> claims.put(claim.executionId(), claim));
        var claim = claims.remove(id);
        if (claim == null) {
            throw new AssertionError("not due: " + id);
        }
        return claim;
    }

    void end(Claim claim, boolean success) {
        end(claim, success, false);
    }

    /** @param dies whether the process dies before it releases children */
    void end(Claim claim, boolean success, boolean dies) {
        var transition = success
                ? new Transition.Succeed(Rows.json("{}"))
                : new Transition.Fail(Rows.json("{'type': 'HTTP_ERROR', 'message': 'm'}"));
        assertThat(awaitRepeated(() -> (dies ? dying : recorder).record(claim, worker, transition)))
                .isTrue();
    }

    /** Releases until nothing is left to be counted or skipped, also by others. */
    void settle() {
        try {
            Eventually.await("all ends are counted", BOUND, () -> {
                var _ = awaitRepeated(dependencyReleases::release);
                return db.number("SELECT (SELECT count(*) FROM ended_parents)"
                                + " + (SELECT count(*) FROM exec_live WHERE trigger_rule < 0)")
                        == 0;
            });
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** How an execution stands: its final status, or whether it waits. */
    @Nullable
    String status(UUID id) {
        var ended = db.rows("SELECT status FROM executions WHERE execution_id = $1", id);
        if (!ended.isEmpty()) {
            return ended.getFirst().getString("status");
        }
        return db.row(
                        "SELECT CASE WHEN trigger_rule IS NOT NULL THEN 'WAITING' WHEN lease_token IS NULL"
                                + " AND visible_at > now() THEN 'PENDING'"
                                + " ELSE 'QUEUED' END AS status FROM exec_live WHERE execution_id = $1",
                        id)
                .getString("status");
    }
}
