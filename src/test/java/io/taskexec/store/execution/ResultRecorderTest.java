package io.taskexec.store.execution;

import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.Rows.json;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.delivery.Claim;
import io.taskexec.model.delivery.Transition;
import io.taskexec.store.sql.Lanes;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.store.wakeup.DueSignal.Work;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@StoreTest
class ResultRecorderTest {
    private static final Integer[] LANES = Lanes.of(List.of(0));
    private static final UUID WORKER = UUID.randomUUID();
    private static final Transition SUCCESS = new Transition.Succeed(json("{'body': 'ok', 'n': 12.50}"));
    private static final Transition FAILURE = new Transition.Fail(json("{'type': 'HTTP_ERROR'}"));
    private static final Transition RETRY =
            new Transition.RetryAfter(Duration.ofSeconds(30), json("{'type': 'TIMEOUT'}"));

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private static LeaseStore leases;

    private final AtomicInteger signals = new AtomicInteger();
    private final DueSignal dueSignal = new DueSignal();
    private ResultRecorder recorder;

    @BeforeAll
    static void open() {
        leases = Stores.leases(db.database());
        rows.endpoint(ENDPOINT).insert();
    }

    @BeforeEach
    void countSignals() {
        dueSignal.onSignal(Work.PUSHED, signals::incrementAndGet);
        recorder = Stores.recorder(db.database(), dueSignal);
    }

    private static List<Claim> claimAll() {
        return await(leases.claim(LANES, 1000, Duration.ofSeconds(60), WORKER));
    }

    private static Claim claimed() {
        rows.live().insert();
        return claimAll().getFirst();
    }

    /** A claim whose execution has gone to another worker since. */
    private static Claim lost() {
        var claim = claimed();
        db.execute(
                "UPDATE exec_live SET visible_at = now() - interval '1 ms' WHERE execution_id = $1",
                claim.executionId());
        assertThat(claimAll()).hasSize(1);
        return claim;
    }

    private boolean recorded(Claim claim, Transition transition) {
        return await(recorder.record(claim, WORKER, transition));
    }

    @Test
    void successMovesTheRowToHistory() {
        var claim = claimed();

        assertThat(recorded(claim, SUCCESS)).isTrue();

        assertThat(db.number("SELECT count(*) FROM exec_live")).isZero();
        var row = db.row(
                "SELECT *, output::text AS o, completed_at >= started_at AS ordered FROM executions"
                        + " WHERE execution_id = $1",
                claim.executionId());
        assertThat(row.getString("status")).isEqualTo("SUCCESS");
        assertThat(row.getInteger("attempt_count")).isEqualTo(1);
        assertThat(row.getUUID("worker_id")).isEqualTo(WORKER);
        assertThat(row.getString("o")).isEqualTo("{\"body\":\"ok\",\"n\":12.50}");
        assertThat(row.getValue("error")).isNull();
        assertThat(row.getBoolean("ordered")).isTrue();
        assertThat(db.number("SELECT count(*) FROM attempts")).isZero();
    }

    @Test
    void failureMovesTheRowToHistoryWithItsReason() {
        var claim = claimed();

        assertThat(recorded(claim, FAILURE)).isTrue();

        assertThat(db.number("SELECT count(*) FROM exec_live")).isZero();
        var row = db.row("SELECT status, error::text, output::text FROM executions");
        assertThat(row.getString("status")).isEqualTo("FAILED");
        assertThat(row.getString("error")).isEqualTo("{\"type\":\"HTTP_ERROR\"}");
        assertThat(row.getString("output")).isNull();
    }

    @Test
    void aRetryRecordsTheAttemptAndMakesTheRowVisibleAfterItsDelay() {
        var claim = claimed();

        assertThat(recorded(claim, RETRY)).isTrue();

        var attempt = db.row("SELECT *, error::text AS e FROM attempts WHERE execution_id = $1", claim.executionId());
        assertThat(attempt.getInteger("attempt_number")).isEqualTo(1);
        assertThat(attempt.getString("status")).isEqualTo("FAILED");
        assertThat(attempt.getUUID("worker_id")).isEqualTo(WORKER);
        assertThat(attempt.getString("e")).isEqualTo("{\"type\":\"TIMEOUT\"}");
        var live = db.row("SELECT *, extract(epoch FROM visible_at - now())::float8 AS left_sec FROM exec_live");
        assertThat(live.getDouble("left_sec")).isBetween(20.0, 30.0);
        assertThat(live.getInteger("failures")).isEqualTo(1);
        assertThat(live.getLong("lease_token")).isNull();
        assertThat(live.getUUID("worker_id")).isNull();
        assertThat(db.number("SELECT count(*) FROM executions")).isZero();
    }

    @Test
    void anInterruptedAttemptIsRecordedButIsNoFailureAndIsDueAtOnce() {
        var claim = claimed();

        assertThat(recorded(claim, new Transition.Interrupt())).isTrue();

        assertThat(db.row("SELECT status FROM attempts").getString(0)).isEqualTo("INTERRUPTED");
        var next = claimAll().getFirst();
        assertThat(next.attempt()).isEqualTo(2);
        assertThat(next.failures()).isZero();
        assertThat(next.rescues()).isZero();
    }

    @Test
    void ofManyAttemptsTheFirstAndTheLastKeepTheirLines() {
        var _ = rows.live().insert();
        for (var before : List.of(0, 99, 149, 249, 250)) {
            db.execute("UPDATE exec_live SET attempt = $1::int", before);
            assertThat(recorded(claimAll().getFirst(), new Transition.Interrupt()))
                    .isTrue();
        }

        // 150 and 250 share a place.
        assertThat(db.row("SELECT string_agg(attempt_number::text, ' ' ORDER BY attempt_number) FROM execution_logs")
                        .getString(0))
                .isEqualTo("1 100 250 251");
        assertThat(db.number("SELECT count(*) FROM attempts")).isEqualTo(5);
    }

    @Test
    void aLateResultOfAWorkerThatLostItsLeaseChangesNothing() {
        for (var transition : List.of(SUCCESS, FAILURE, RETRY, new Transition.Interrupt(), new Transition.Abandon())) {
            rows.clearJobs();
            var claim = lost();
            var before = db.row("SELECT l::text FROM exec_live l").getString(0);

            assertThat(recorded(claim, transition)).isFalse();

            assertThat(db.row("SELECT l::text FROM exec_live l").getString(0)).isEqualTo(before);
            assertThat(db.number("SELECT count(*) FROM executions")).isZero();
            assertThat(db.number("SELECT count(*) FROM attempts WHERE status <> 'LOST'"))
                    .isZero();
        }
    }

    @Test
    void anEndedExecutionCannotEndAgain() {
        var claim = claimed();

        assertThat(recorded(claim, SUCCESS)).isTrue();
        assertThat(recorded(claim, FAILURE)).isFalse();
        assertThat(recorded(claim, RETRY)).isFalse();
        assertThat(db.row("SELECT status FROM executions").getString(0)).isEqualTo("SUCCESS");
    }

    @Test
    void inABatchEachIsToldWhetherItsOwnLeaseHeld() {
        var lost = IntStream.range(0, 20).mapToObj(_ -> lost()).toList();
        var held = IntStream.range(0, 20).mapToObj(_ -> claimed()).toList();
        for (var transition : List.of(SUCCESS, RETRY)) {
            var wishes = new ArrayList<Uni<Boolean>>();
            var start = transition.equals(SUCCESS) ? 0 : 10;
            for (var i = start; i < start + 10; i++) {
                wishes.add(recorder.record(held.get(i), WORKER, transition));
                wishes.add(recorder.record(lost.get(i), WORKER, transition));
            }

            var results = await(Uni.join().all(wishes).andFailFast());

            for (var i = 0; i < results.size(); i++) {
                assertThat(results.get(i)).isEqualTo(i % 2 == 0);
            }
        }
        assertThat(db.number("SELECT count(*) FROM executions")).isEqualTo(10);
        assertThat(db.number("SELECT count(*) FROM exec_live")).isEqualTo(30);
    }

    @Test
    void aLostAndAHeldLeaseOfOneExecutionInOneBatchAreToldApart() {
        for (var transition : List.of(SUCCESS, RETRY)) {
            rows.clearJobs();
            var filler = claimed();
            rows.live().insert();
            var old = claimAll().getFirst();
            db.execute(
                    "UPDATE exec_live SET visible_at = now() - interval '1 ms' WHERE execution_id = $1",
                    old.executionId());
            var current = claimAll().getFirst();
            assertThat(current.executionId()).isEqualTo(old.executionId());

            // The first goes alone, the other two together while it is in flight.
            var results = await(Uni.join()
                    .all(
                            recorder.record(filler, WORKER, transition),
                            recorder.record(old, WORKER, transition),
                            recorder.record(current, WORKER, transition))
                    .andFailFast());

            assertThat(results).containsExactly(true, false, true);
        }
    }

    @Test
    void aResultThatTheDatabaseRefusesFailsAlone() {
        var claims = IntStream.range(0, 10).mapToObj(_ -> claimed()).toList();
        // Longer than a bigint of milliseconds allows as an interval.
        var bad = new Transition.RetryAfter(Duration.ofMillis(Long.MAX_VALUE), json("{}"));

        var results = await(Uni.join()
                .all(IntStream.range(0, 10)
                        .mapToObj(i -> recorder.record(claims.get(i), WORKER, i == 6 ? bad : RETRY)
                                .onFailure()
                                .recoverWithItem(false))
                        .toList())
                .andFailFast());

        assertThat(results).hasSize(10);
        assertThat(results.get(6)).isFalse();
        assertThat(results.stream().filter(held -> held)).hasSize(9);
        assertThat(db.number("SELECT count(*) FROM exec_live WHERE lease_token IS NOT NULL"))
                .isEqualTo(1);
    }

    @Test
    void whatIsDueSoonAgainRaisesTheSignal() {
        assertThat(recorded(claimed(), RETRY)).isTrue();
        assertThat(signals).hasValue(0);
        assertThat(recorded(claimed(), new Transition.RetryAfter(Duration.ofMillis(10), json("{}"))))
                .isTrue();
        assertThat(signals).hasValue(1);
        assertThat(recorded(claimed(), new Transition.Interrupt())).isTrue();
        assertThat(signals).hasValue(2);
    }
}
