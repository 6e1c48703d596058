package io.taskexec.worker.adaptive;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.NullNode;
import io.taskexec.model.delivery.Claim;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.flow.AdaptiveLimit;
import io.taskexec.model.job.Failure;
import io.taskexec.store.flow.AdaptiveLimitStore;
import io.taskexec.store.flow.FlowReleases;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.NewClaim;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import io.vertx.pgclient.PgException;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

@StoreTest(clearJobs = false)
class AdaptiveLimitsTest {
    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

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

    private static AdaptiveLimitStore store() {
        return new AdaptiveLimitStore(db.database(), FlowReleases.none(db.database()));
    }

    private static void begin(String endpoint) {
        assertThat(await(store().begin(endpoint, 4, 8, "a test"))).isTrue();
    }

    @Test
    void aLimitThatAnotherProcessBeginsWhereLimitsAreOffEndsToo() {
        rows.endpoint("begun-later").insert();
        var off = TestAdaptive.off(db.database());
        assertThat(await(off.look())).isEqualTo(Duration.ofSeconds(30));
        begin("begun-later");

        assertThat(await(off.look())).isEqualTo(Duration.ofSeconds(30));

        assertThat(await(store().find("begun-later"))).isNull();
    }

    @Test
    void aLimitThatCannotBeEndedKeepsNoOtherAndEndsInALaterLook() {
        var names = List.of("held", "free-1", "free-2", "free-3");
        names.forEach(name -> rows.endpoint(name).insert());
        names.forEach(AdaptiveLimitsTest::begin);
        var off = TestAdaptive.off(db.database());
        db.execute("ALTER TABLE endpoint_events"
                + " ADD CONSTRAINT on_purpose CHECK (endpoint <> 'held' OR kind <> 'UNLIMITED')");
        try {
            assertThatThrownBy(() -> await(off.look())).isInstanceOf(PgException.class);
            assertThat(await(store().all()))
                    .singleElement()
                    .extracting(AdaptiveLimit::endpoint)
                    .isEqualTo("held");
        } finally {
            db.execute("ALTER TABLE endpoint_events DROP CONSTRAINT on_purpose");
        }

        assertThat(await(off.look())).isPositive();

        assertThat(await(store().all())).isEmpty();
    }

    @Test
    void anOlderLookDoesNotReplaceALaterOne() {
        var limits = TestAdaptive.on(db.database(), new DueSignal());
        var claim = claim("limited.example.org");
        var askedAt = System.nanoTime();
        limits.replace(
                List.of(new AdaptiveLimit(claim.endpoint(), 4, 8, 1, Duration.ZERO, null, 0, false)), askedAt + 1);

        limits.replace(List.of(), askedAt);
        assertThat(limits.isLimited(claim)).isTrue();

        limits.replace(List.of(), askedAt + 2);
        assertThat(limits.isLimited(claim)).isFalse();
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
