package io.taskexec.store.flow;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.flow.FlowKey;
import io.taskexec.model.flow.FlowPolicy;
import io.taskexec.model.flow.RateLimit;
import io.taskexec.store.endpoint.QueueSettingsStore;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Changes of limits beside releases, by several at once. */
@StoreTest
class FlowRacesTest {
    private static final String ENDPOINT = "races";
    private static final int CLIENTS = 10;
    private static final int ROUNDS = 10;
    private static final int KEYS = 20;
    private static final int MOST = 2;

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private static FlowReleases releases;
    private static QueueSettingsStore queues;

    @BeforeAll
    static void open() {
        releases = new FlowReleases(db.database(), new DueSignal());
        queues = new QueueSettingsStore(db.database());
        rows.endpoint(ENDPOINT).insert();
        db.execute("INSERT INTO queues (queue_id, name) VALUES (7, 'imports')");
    }

    @BeforeEach
    void clear() {
        rows.clearJobs();
        await(write(new RateLimit(50, Duration.ofSeconds(1), MOST)));
        for (var key = 0; key < KEYS; key++) {
            for (var i = 0; i < 2 * MOST; i++) {
                rows.live().endpoint(ENDPOINT).parked("key-" + key).insert();
            }
        }
        db.execute("UPDATE flow_limits SET lined = true, release_at = now()");
    }

    private static Uni<Boolean> write(RateLimit rate) {
        var policy = new FlowPolicy("{{input.k}}", MOST, rate, FlowPolicy.Order.ANY, false);
        return db.database()
                .withTransaction(transaction ->
                        FlowPolicies.write(transaction, ENDPOINT, policy).replaceWith(true));
    }

    /** Each client names the keys in another order. */
    private static Uni<Boolean> release(int client) {
        var keys = new ArrayList<>(IntStream.range(0, KEYS)
                .mapToObj(key -> FlowKey.of(ENDPOINT, "key-" + key).id())
                .toList());
        Collections.rotate(keys, client * 7);
        return releases.release(keys).replaceWith(true);
    }

    private static Uni<Boolean> pauseAndResume() {
        return queues.pause("imports", null, null)
                .chain(() -> queues.resume("imports"))
                .replaceWith(true);
    }

    @Test
    void tenClientsThatReleaseChangeRatesAndResumeQueuesKeepToTheLimits() {
        for (var round = 0; round < ROUNDS; round++) {
            var rate = new RateLimit(10 + round, Duration.ofSeconds(1), MOST);
            var done = await(Uni.join()
                    .all(IntStream.range(0, CLIENTS)
                            .mapToObj(client -> switch (client % 3) {
                                case 0 -> write(rate);
                                case 1 -> pauseAndResume();
                                default -> release(client);
                            })
                            .toList())
                    .andFailFast());
            assertThat(done).as("round " + round).hasSize(CLIENTS).containsOnly(true);
        }
        assertThat(await(release(0))).isTrue();
        assertThat(free()).isEqualTo(Collections.nCopies(KEYS, (long) MOST));
    }

    private static List<Long> free() {
        return db.rows("""
                SELECT count(*) FILTER (WHERE flow_state = 0) AS free FROM exec_live GROUP BY flow_id
                """).stream().map(row -> row.getLong("free")).toList();
    }
}
