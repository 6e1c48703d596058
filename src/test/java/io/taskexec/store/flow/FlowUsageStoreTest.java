package io.taskexec.store.flow;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.taskexec.model.flow.FlowKey;
import io.taskexec.store.flow.FlowUsageStore.OfEndpoint;
import io.taskexec.store.sql.Connections;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@StoreTest
class FlowUsageStoreTest {
    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private static FlowUsageStore store;

    @BeforeAll
    static void open() {
        store = new FlowUsageStore(db.database());
        rows.endpoint("mail").insert();
        rows.endpoint("billing").insert();
        rows.endpoint("quiet").insert();
    }

    @BeforeEach
    void clear() {
        db.execute("DELETE FROM flow_policies");
    }

    private static void parked(String endpoint, String key, Duration dueSince) {
        rows.live().endpoint(endpoint).dueSince(dueSince).parked(key).insert();
        db.execute("UPDATE flow_limits SET lined = true WHERE flow_key = $1", key);
    }

    private static void setKey(String endpoint, String key, int open, String tat) {
        db.execute(
                "INSERT INTO flow_limits (flow_id, endpoint, flow_key, open, tat) VALUES ($1, $2, $3, $4, now() + "
                        + tat + ")",
                FlowKey.of(endpoint, key).id(),
                endpoint,
                key,
                open);
    }

    @Test
    void thereIsNothingToTellWithoutKeys() {
        assertThat(await(store.usage())).isEqualTo(FlowUsageStore.Usage.NONE);
    }

    @Test
    void placesLinesAndParkedExecutionsAreSummedUpByEndpoint() {
        parked("mail", "a", Duration.ofSeconds(90));
        parked("mail", "a", Duration.ofSeconds(10));
        parked("mail", "b", Duration.ofSeconds(20));
        rows.live().endpoint("mail").flow("c").insert();
        setKey("billing", "x", 4, "interval '0'");
        setKey("billing", "y", 3, "interval '0'");

        var usage = await(store.usage());

        assertThat(usage.open()).isEqualTo(7);
        assertThat(usage.lines()).isEqualTo(2);
        assertThat(usage.isPart()).isFalse();
        assertThat(usage.endpoints())
                .extracting(OfEndpoint::endpoint, OfEndpoint::open, OfEndpoint::lines, OfEndpoint::parked)
                .containsExactly(tuple("mail", 0L, 2L, 3L), tuple("billing", 7L, 0L, 0L));
        assertThat(usage.endpoints().getFirst().oldestAge()).isBetween(90.0, 300.0);
        assertThat(usage.endpoints().getLast().oldestAge()).isZero();
    }

    @Test
    void tokensAreThoseOfTheEndpointsOwnKey() {
        for (var endpoint : new String[] {"mail", "billing", "quiet"}) {
            rows.flowPolicy(endpoint, "rate_spacing_us, rate_burst", "60000000, 5");
        }
        setKey("mail", "", 0, "interval '150 seconds'");
        setKey("billing", "", 0, "interval '1 hour'");
        setKey("quiet", "tenant", 0, "interval '1 hour'");

        assertThat(await(store.usage()).endpoints())
                .extracting(OfEndpoint::endpoint, OfEndpoint::tokens)
                .containsExactlyInAnyOrder(tuple("mail", 2L), tuple("billing", 0L), tuple("quiet", null));
    }

    @Test
    void noMoreThanTheBoundsIsLookedAt() {
        for (var i = 0; i < 4; i++) {
            parked("mail", "a", Duration.ofSeconds(10));
            parked("mail", "b", Duration.ofSeconds(10));
        }

        var fewParked = await(store.usage(100, 4));
        assertThat(fewParked.endpoints().getFirst().parked())
                .as("two of each line")
                .isEqualTo(4);
        assertThat(fewParked.isPart()).isTrue();

        var fewKeys = await(store.usage(1, 100));
        assertThat(fewKeys.lines()).isEqualTo(1);
        assertThat(fewKeys.isPart()).isTrue();
        assertThat(await(store.usage(3, 9)).isPart()).isFalse();
    }

    @Test
    void aLineIsReadInItsIndexFromItsHead() {
        db.execute("""
                INSERT INTO exec_live (execution_id, job_id, lane, visible_at, run_at, created_at, flow_id, flow_line,
                  flow_state)
                SELECT g.id, g.id, -1073741820, 'infinity', now(), now(), i % 10, 4, 1
                FROM (SELECT gen_random_uuid() AS id, i FROM generate_series(1, 20000) AS i) AS g
                """);
        for (var i = 0; i < 10; i++) {
            db.execute(
                    "INSERT INTO flow_limits (flow_id, endpoint, flow_key, lined) VALUES ($1, 'mail', $2, true)",
                    (long) i,
                    UUID.randomUUID().toString());
        }
        db.execute("ANALYZE exec_live");

        var plan = db.plan("(ANALYZE) " + FlowUsageStore.USAGE, 100L, 1_000L, 200L);

        assertThat(plan)
                .containsPattern("Index( Only)? Scan using exec_live_lines on exec_live .*rows=100(\\.00)? loops=10")
                .contains("flow_limits_pk")
                .doesNotContain("Seq Scan on exec_live", "exec_live_pk", "Sort Key: exec_live");
        assertThat(FlowUsageStore.USAGE).hasSizeLessThan(Connections.LONGEST_PREPARED);
    }
}
