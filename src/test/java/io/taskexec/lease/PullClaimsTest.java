package io.taskexec.lease;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.store.execution.PulledClaims.Request;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

@StoreTest
class PullClaimsTest {
    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    @BeforeAll
    static void makeEndpoint() {
        LeaseProcess.makeEndpoint(db, rows);
    }

    /** As when a creation has an execution for a call while a claim brings it another one. */
    @Test
    void aCallGetsNoMoreThanItAskedForAndTheRestIsDueAgain() {
        try (var process = new LeaseProcess(db)) {
            var _ = LeaseProcess.due(rows, 4);
            var _ = LeaseProcess.due(rows, 4);
            var call = LeaseProcess.call();
            var request =
                    new Request(Map.of(LeaseProcess.QUEUE, 2), List.of(0), 7, Duration.ofMinutes(1), call.workerId());
            var claims = await(process.store.claim(request)).claims();
            assertThat(claims).hasSize(2);

            claims.forEach(pulled -> await(process.claims.give(call, pulled, System.nanoTime())));

            assertThat(call.got()).hasSize(1);
            assertThat(db.number("""
                    SELECT count(*) FROM exec_live WHERE lease_token IS NULL AND attempt = 0 AND visible_at <= now()
                    """)).isEqualTo(1);
        }
    }
}
