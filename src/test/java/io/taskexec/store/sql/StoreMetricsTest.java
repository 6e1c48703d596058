package io.taskexec.store.sql;

import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.Rows.json;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.delivery.Claim;
import io.taskexec.model.delivery.Transition;
import io.taskexec.observe.metrics.Meters;
import io.taskexec.store.execution.LeaseStore;
import io.taskexec.store.job.CancelSignal;
import io.taskexec.store.job.IdempotencyKeyStore;
import io.taskexec.store.job.NewJob;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;
import io.taskexec.testing.TestJob;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@StoreTest
class StoreMetricsTest {
    private static final Integer[] LANES = Lanes.of(List.of(0));
    private static final UUID WORKER = UUID.randomUUID();

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final Database database = new Database(db.pool(), TestDb.PATIENCE, false, Meters.of(registry));
    private final LeaseStore leases = Stores.leases(database);

    @BeforeAll
    static void open() {
        rows.endpoint(ENDPOINT).insert();
        rows.endpoint("told").reportsTo(ENDPOINT, null).insert();
        db.execute("CREATE SEQUENCE runs");
        db.execute("""
                CREATE FUNCTION fail_once(code text) RETURNS bigint LANGUAGE plpgsql AS $$
                DECLARE n bigint := nextval('runs');
                BEGIN
                  IF n = 1 THEN RAISE EXCEPTION 'again' USING ERRCODE = code; END IF;
                  RETURN n;
                END $$
                """);
    }

    @BeforeEach
    void clear() {
        db.execute("ALTER SEQUENCE runs RESTART");
    }

    private double count(String name, String... tags) {
        return registry.get(name).tags(tags).counter().count();
    }

    private List<Claim> claim() {
        return await(leases.claim(LANES, 100, Duration.ofSeconds(60), WORKER));
    }

    @Test
    void aClaimTellsHowManyItBroughtAndHowLongEachHadBeenDue() {
        rows.live().dueSince(Duration.ofSeconds(100)).insert();
        rows.live().dueSince(Duration.ofSeconds(20)).insert();
        var unreadable = rows.live().insert();
        db.execute("UPDATE exec_live SET visible_at = '-infinity' WHERE execution_id = $1", unreadable);

        assertThat(claim()).hasSize(3);
        assertThat(claim()).isEmpty();

        var size = registry.get("taskexec.claim.batch.size").summary();
        assertThat(size.count()).as("an empty claim is not counted").isEqualTo(1);
        assertThat(size.totalAmount()).isEqualTo(3);
        var latency = registry.get("taskexec.pickup.latency").timer();
        assertThat(latency.count()).isEqualTo(3);
        assertThat(latency.totalTime(TimeUnit.SECONDS))
                .as("what is due for ever counts as a day")
                .isBetween(86_520.0, 86_600.0);
        assertThat(count("taskexec.lease.rescues")).isZero();
    }

    @Test
    void whatIsClaimedFromALostWorkerIsARescue() {
        rows.live().leased(WORKER, Duration.ofSeconds(-1)).insert();
        rows.live().insert();

        assertThat(claim()).hasSize(2);

        assertThat(count("taskexec.lease.rescues")).isEqualTo(1);
    }

    @Test
    void executionsThatEndAreCountedOnceByTheirOutcome() {
        rows.live().insert();
        rows.live().insert();
        rows.live().insert();
        var claims = claim();
        var recorder = Stores.recorder(database);
        var success = new Transition.Succeed(json("{}"));

        assertThat(await(recorder.record(claims.get(0), WORKER, success))).isTrue();
        assertThat(await(recorder.record(claims.get(0), WORKER, success))).isFalse();
        assertThat(await(recorder.record(claims.get(1), WORKER, new Transition.Fail(json("{'type': 'TIMEOUT'}")))))
                .isTrue();
        var cancelling = Stores.cancelling(database, new CancelSignal());
        assertThat(await(cancelling.cancel(claims.get(2).executionId(), true))).isTrue();
        assertThat(await(cancelling.cancel(claims.get(2).executionId(), true))).isFalse();

        assertThat(count("taskexec.executions", "outcome", "success")).isEqualTo(1);
        assertThat(count("taskexec.executions", "outcome", "failed")).isEqualTo(1);
        assertThat(count("taskexec.executions", "outcome", "cancelled")).isEqualTo(1);
    }

    @Test
    void jobsAreCountedWhenTheyAreCreatedAndNotWhenTheirKeyFindsThem() {
        var creator = Stores.creator(
                database, new IdempotencyKeyStore(database, () -> 24), new DueSignal(), db.region("default"));

        await(Uni.join()
                .all(creator.create(job("a")), creator.create(job("b")), creator.create(job("a")))
                .andFailFast());
        await(creator.create(job("b")));

        assertThat(count("taskexec.jobs.created")).isEqualTo(2);
    }

    @Test
    void aJobThatCarriesAResultOnIsAJobToo() {
        rows.live().endpoint("told").insert();
        var recorder = Stores.recorder(database);

        assertThat(await(recorder.record(claim().getFirst(), WORKER, new Transition.Succeed(json("{}"), true))))
                .isTrue();

        assertThat(count("taskexec.jobs.created")).isEqualTo(1);
        assertThat(count("taskexec.executions", "outcome", "success")).isEqualTo(1);
    }

    private static NewJob job(String key) {
        return new TestJob().key(key).fingerprint(new UUID(0, 0)).made();
    }

    @Test
    void aTryThatIsMadeAgainIsCountedByTheStateThatTheDatabaseGave() {
        await(database.run("SELECT fail_once('40001')", Tuple.tuple()));

        assertThat(count("taskexec.db.retries", "code", "40001")).isEqualTo(1);
        assertThat(count("taskexec.db.retries", "code", "40P01")).isZero();
    }

    @Test
    void aClaimTellsNothingMoreWhereNothingIsMeasured() {
        rows.live().dueSince(Duration.ofSeconds(100)).insert();

        assertThat(await(Stores.leases(db.database()).claim(LANES, 100, Duration.ofSeconds(60), WORKER)))
                .hasSize(1);

        assertThat(registry.get("taskexec.pickup.latency").timer().count()).isZero();
    }
}
