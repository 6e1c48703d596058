package io.taskexec.lease;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.audit.KeyScope;
import io.taskexec.store.auth.ApiKeyStore;
import io.taskexec.store.auth.ApiKeyStore.Permit;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

@StoreTest
class LeaseWatchTest {
    private static final Duration BOUND = Duration.ofSeconds(5);

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    @BeforeAll
    static void makeEndpoint() {
        LeaseProcess.makeEndpoint(db, rows);
    }

    private static void makeKey(String id) {
        var permit = new Permit(Set.of(KeyScope.WORK), null);
        var _ = await(new ApiKeyStore(db.database()).create(id, id, id.getBytes(StandardCharsets.UTF_8), permit, null));
    }

    private static PullCall waiting(LeaseProcess process, @Nullable String keyId) {
        var call = LeaseProcess.call(LeaseProcess.ENDPOINT, 1, keyId);
        process.broker.ask(call);
        return call;
    }

    @Test
    void aRequestWaitsNoLongerThanItsKeyIsValid() {
        makeKey("revoked");
        makeKey("expired");
        makeKey("valid");
        db.execute("UPDATE api_keys SET revoked_at = now() WHERE key_id = 'revoked'");
        db.execute("UPDATE api_keys SET expires_at = now() WHERE key_id = 'expired'");
        try (var process = new LeaseProcess(db)) {
            var revoked = waiting(process, "revoked");
            var expired = waiting(process, "expired");
            var valid = waiting(process, "valid");
            var bootstrap = waiting(process, null);
            var _ = LeaseProcess.due(rows, 4);

            assertThat(await(process.watch.runOnce())).isLessThanOrEqualTo(BOUND);

            assertThat(revoked.answer()).isCompletedWithValue(PullCall.Answer.EMPTY);
            assertThat(expired.answer()).isCompletedWithValue(PullCall.Answer.EMPTY);
            assertThat(valid.answer()).isNotDone();
            assertThat(bootstrap.answer()).isNotDone();
        }
    }
}
