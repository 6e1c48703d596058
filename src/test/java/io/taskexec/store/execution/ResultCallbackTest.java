package io.taskexec.store.execution;

import static io.taskexec.testing.Rows.json;
import static io.taskexec.testing.TestDb.await;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.PublicId;
import io.taskexec.model.TraceContext;
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
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@StoreTest
class ResultCallbackTest {
    private static final Integer[] LANES = Lanes.of(List.of(0));
    private static final UUID WORKER = UUID.randomUUID();
    private static final Transition REPORTED = new Transition.Succeed(json("{'body': 'ok'}"), true);
    private static final Transition FAILURE = new Transition.Fail(json("{'type': 'HTTP_ERROR'}"));
    private static final String CREATED =
            "SELECT j.endpoint, j.endpoint_version, j.lane, j.callback_of, j.input::text AS input,"
                    + " l.execution_id = l.job_id AND l.visible_at <= now() AS due"
                    + " FROM jobs j JOIN exec_live l USING (job_id) WHERE j.callback_of IS NOT NULL";

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private static LeaseStore leases;

    private final AtomicInteger signals = new AtomicInteger();
    private ResultRecorder recorder;

    @BeforeAll
    static void open() {
        leases = Stores.leases(db.database());
        rows.endpoint("good").version(3).insert();
        rows.endpoint("bad").reportsTo(null, "good").insert();
        rows.endpoint("both").reportsTo("good", "bad").insert();
        rows.endpoint("failures").reportsTo(null, "bad").insert();
        rows.endpoint("silent").insert();
        rows.endpoint("past").reportsTo("gone", "gone").insert();
    }

    @BeforeEach
    void clear() {
        var dueSignal = new DueSignal();
        dueSignal.onSignal(Work.PUSHED, signals::incrementAndGet);
        recorder = Stores.recorder(db.database(), dueSignal);
    }

    private static Claim claimed(String endpoint) {
        rows.live().endpoint(endpoint).insert();
        return await(leases.claim(LANES, 1, Duration.ofSeconds(60), WORKER)).getFirst();
    }

    @Test
    void theTraceOfAnExecutionGoesOnWithItsResult() {
        var own = claimed("both");
        assertThat(recorded(own, REPORTED)).isTrue();
        assertThat(db.row("SELECT trace FROM jobs WHERE callback_of = $1", own.executionId())
                        .getString(0))
                .startsWith("00-" + own.executionId().toString().replace("-", "") + "-")
                .endsWith("-01");
        assertThat(await(leases.claim(LANES, 1, Duration.ofSeconds(60), WORKER)))
                .hasSize(1);

        var trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00 a=1";
        var id = rows.live().endpoint("both").insert();
        db.execute("UPDATE jobs SET trace = $2 WHERE job_id = $1", id, trace);
        var traced =
                await(leases.claim(LANES, 1, Duration.ofSeconds(60), WORKER)).getFirst();
        assertThat(recorded(traced, REPORTED)).isTrue();
        assertThat(db.row("SELECT trace FROM jobs WHERE callback_of = $1", id).getString(0))
                .as("from the last attempt on")
                .isEqualTo(trace.replace("00f067aa0ba902b7", TraceContext.spanId(id, 1)));
    }

    private boolean recorded(Claim claim, Transition transition) {
        return await(recorder.record(claim, WORKER, transition));
    }

    private static long callbacks() {
        return db.number("SELECT count(*) FROM jobs WHERE callback_of IS NOT NULL");
    }

    @Test
    void anOutputGoesToTheCurrentVersionOfTheEndpointThatIsNamedForIt() {
        var claim = claimed("both");

        assertThat(recorded(claim, REPORTED)).isTrue();

        var row = db.row(CREATED);
        assertThat(row.getString("endpoint")).isEqualTo("good");
        assertThat(row.getInteger("endpoint_version")).isEqualTo(3);
        assertThat(row.getInteger("lane")).isEqualTo(4);
        assertThat(row.getUUID("callback_of")).isEqualTo(claim.executionId());
        assertThat(row.getBoolean("due")).isTrue();
        assertThat(json(row.getString("input"))).isEqualTo(json("""
                        {'execution_id': '%s', 'job_id': '%s', 'endpoint': 'both', 'status': 'SUCCESS',
                         'attempt_count': 1, 'run_at': '%s', 'output': {'body': 'ok'}, 'error': null}
                        """.formatted(
                PublicId.EXECUTION.show(claim.executionId()), PublicId.JOB.show(claim.jobId()), claim.runAt())));
        assertThat(signals).hasValue(1);
    }

    @Test
    void anOutputAsDeepAsARequestMayBeCanBeReadByWhoGetsIt() {
        var deepest = "[".repeat(63) + "]".repeat(63);

        assertThat(recorded(claimed("both"), new Transition.Succeed(json("{'json': " + deepest + "}"), true)))
                .isTrue();

        var carried =
                await(leases.claim(LANES, 1, Duration.ofSeconds(60), WORKER)).getFirst();
        assertThat(carried.unreadable()).isNull();
        assertThat(requireNonNull(carried.input()).at("/output/json")).hasToString(deepest);
    }

    @Test
    void anErrorGoesToTheOtherEndpoint() {
        assertThat(recorded(claimed("failures"), FAILURE)).isTrue();

        var row = db.row(CREATED);
        assertThat(row.getString("endpoint")).isEqualTo("bad");
        assertThat(json(row.getString("input")).at("/error/type").asText()).isEqualTo("HTTP_ERROR");
        assertThat(json(row.getString("input")).at("/output").isNull()).isTrue();
    }

    @Test
    void nothingIsCreatedForWhatNobodyIsToldOf() {
        assertThat(recorded(claimed("silent"), FAILURE)).isTrue();
        assertThat(recorded(claimed("failures"), REPORTED)).isTrue();
        assertThat(recorded(claimed("past"), FAILURE)).isTrue();

        assertThat(callbacks()).isZero();
        assertThat(db.number("SELECT count(*) FROM executions")).isEqualTo(3);
    }

    @Test
    void theResultOfACallbackIsPassedOnToNobody() {
        assertThat(recorded(claimed("failures"), FAILURE)).isTrue();
        var callback =
                await(leases.claim(LANES, 1, Duration.ofSeconds(60), WORKER)).getFirst();
        assertThat(callback.endpoint()).isEqualTo("bad");

        assertThat(recorded(callback, FAILURE)).isTrue();

        assertThat(callbacks()).isEqualTo(1);
        assertThat(db.number("SELECT count(*) FROM exec_live")).isZero();
    }

    @Test
    void aResultThatComesTooLateCreatesNothing() {
        var claim = claimed("both");
        db.execute("UPDATE exec_live SET lease_token = lease_token + 1");

        assertThat(recorded(claim, REPORTED)).isFalse();

        assertThat(callbacks()).isZero();
    }
}
