package io.taskexec.worker.adaptive;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.NullNode;
import io.taskexec.model.delivery.Claim;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.job.Failure;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.NewClaim;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import org.junit.jupiter.api.Test;

@StoreTest(clearJobs = false)
class AdaptiveLimitsTest {
    @Inject
    private static TestDb db;

    private static Claim claim(String host) {
        return new NewClaim().endpoint("_target:https://" + host + ":443").claimed();
    }

    private static Outcome tooMany() {
        var failure = new Failure(Failure.Type.HTTP_ERROR, "429", 429, null, null);
        return new Outcome.RetryableFailure(failure, null);
    }

    @Test
    void refusalsCountForTheBreakerWhereThereCanBeNoLimit() throws InterruptedException {
        var limits = TestAdaptive.on(db.database(), new DueSignal());
        var claim = claim("missing.example.org");
        assertThat(limits.answers(claim, tooMany())).isTrue();

        for (var n = 0; n < 3; n++) {
            limits.began(claim);
            limits.ended(claim, System.nanoTime(), tooMany());
        }

        Eventually.await("it cannot be limited", Duration.ofSeconds(10), () -> !limits.answers(claim, tooMany()));
    }

    @Test
    void onlyOriginsThatAreIdleAreForgotten() {
        var limits = TestAdaptive.on(db.database(), new DueSignal());
        var running = claim("running.example.org");
        limits.began(running);
        for (var n = 0; n < 50; n++) {
            var claim = claim(n + ".example.org");
            limits.began(claim);
            limits.ended(claim, System.nanoTime(), new Outcome.Succeeded(NullNode.instance));
        }

        assertThat(limits.forgetIdle(System.nanoTime())).isEqualTo(51);
        assertThat(limits.forgetIdle(System.nanoTime() + Duration.ofMinutes(2).toNanos()))
                .isEqualTo(1);

        limits.ended(running, System.nanoTime(), new Outcome.Succeeded(NullNode.instance));
        assertThat(limits.forgetIdle(System.nanoTime() + Duration.ofMinutes(2).toNanos()))
                .isZero();
    }
}
