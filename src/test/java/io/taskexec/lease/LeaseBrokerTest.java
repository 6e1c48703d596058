package io.taskexec.lease;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.taskexec.loop.LoopTimer;
import io.taskexec.observe.metrics.Meters;
import io.taskexec.resolve.RealResolver;
import io.taskexec.secret.KeyRing;
import io.taskexec.secret.SecretCipher;
import io.taskexec.store.execution.PulledClaims;
import io.taskexec.store.flow.FlowReleases;
import io.taskexec.store.pull.LeaseTerms;
import io.taskexec.store.pull.PullQueues;
import io.taskexec.store.sql.Lanes;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.testing.HeldTransaction;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;
import io.taskexec.wait.RealOutsideResults;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

@StoreTest
class LeaseBrokerTest {
    private static final int RESIZE = 7;
    private static final int OTHER = 8;

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private final HeldLeases held = new HeldLeases();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final LoopTimer timer = new LoopTimer();

    @AfterEach
    void close() {
        timer.close();
    }

    private static UUID queue(int id, String endpoint) {
        db.execute(
                "INSERT INTO queues (queue_id, name, pulled) VALUES (%d, 'worker:%s', true)".formatted(id, endpoint));
        rows.endpoint(endpoint).insert();
        db.execute("UPDATE endpoint_versions SET endpoint_type = 'WORKER', spec = '{}', queue_id = %d WHERE name = '%s'"
                .formatted(id, endpoint));
        return rows.live().endpoint(endpoint).lane(Lanes.lane(id, 0, false, 4)).insert();
    }

    private LeaseBroker broker() {
        var dueSignal = new DueSignal();
        var leases = Stores.leases(db.database());
        var queues = new PullQueues(db.database());
        var claims = new PullClaims(
                new PulledClaims(db.database(), FlowReleases.none(db.database())),
                queues,
                new LeaseTerms(db.database()),
                leases,
                db.region("default"),
                RealResolver.on(db.database(), new SecretCipher(KeyRing.parse(KeyRing.generate()))),
                RealOutsideResults.on(db));
        return new LeaseBroker(claims, queues, held, leases, dueSignal, new LeaseMetrics(Meters.of(registry)), timer);
    }

    private static PullCall call(String endpoint) {
        return new PullCall(new LeaseRequest(
                "worker of " + endpoint, List.of(endpoint), 1, Duration.ofMinutes(1), Duration.ofMinutes(1), 7));
    }

    /** Where the times of those that are not due are read, a time without a beginning cannot be told as a number. */
    @Test
    void aFailureTakesBackNothingThatACallWasAnsweredWith() {
        var due = queue(RESIZE, "resize");
        var unreadable = queue(OTHER, "other");
        db.execute("UPDATE exec_live SET visible_at = '-infinity' WHERE execution_id = $1", unreadable);
        var broker = broker();
        var answered = call("resize");
        var waiting = call("other");
        broker.ask(answered);
        broker.ask(waiting);

        try (var other = HeldTransaction.on(db)) {
            var _ = other.run("SELECT 1 FROM exec_live WHERE execution_id = $1 FOR UPDATE", unreadable);
            assertThatThrownBy(() -> await(broker.runOnce())).isNotNull();
        }

        assertThat(waiting.answer()).isCompletedExceptionally();
        assertThat(answered.answer().join().leases())
                .extracting(one -> one.lease().claim().executionId())
                .containsExactly(due);
        assertThat(held.size()).isEqualTo(1);
        assertThat(broker.isAsked()).isFalse();
        assertThat(registry.counter("taskexec.leases.returned").count()).isZero();
    }
}
