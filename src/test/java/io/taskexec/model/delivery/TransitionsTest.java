package io.taskexec.model.delivery;

import static io.taskexec.testing.Rows.json;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.endpoint.RetryPolicy;
import io.taskexec.model.endpoint.RetryRules;
import io.taskexec.model.job.Failure;
import io.taskexec.testing.NewClaim;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TransitionsTest {
    private static final RetryPolicy POLICY =
            new RetryPolicy(3, RetryPolicy.Backoff.FIXED, Duration.ofSeconds(2), Duration.ofSeconds(10));
    private static final Failure FAILURE = new Failure(Failure.Type.TIMEOUT, "too slow");

    private static Claim claim(int attempt, int failures, int rescues) {
        return new NewClaim()
                .attempt(attempt)
                .failures(failures)
                .rescues(rescues)
                .claimed();
    }

    private static Transition next(Claim claim, Outcome outcome) {
        return Transitions.next(claim, POLICY, outcome, 0);
    }

    private static Transition failedNow(int failures, @Nullable Duration retryAfter) {
        return next(claim(failures + 1, failures, 0), new Outcome.RetryableFailure(FAILURE, retryAfter));
    }

    private static Transition retryAfter(Duration delay) {
        return new Transition.RetryAfter(delay, FAILURE.toJson());
    }

    @Test
    void successEndsItWithItsOutput() {
        var output = json("{'a': 1}");

        assertThat(next(claim(1, 0, 0), new Outcome.Succeeded(output))).isEqualTo(new Transition.Succeed(output));
    }

    @Test
    void aPermanentFailureIsNotTriedAgain() {
        assertThat(next(claim(1, 0, 0), new Outcome.PermanentFailure(FAILURE)))
                .isEqualTo(new Transition.Fail(FAILURE.toJson()));
    }

    @Test
    void aFailureThatThePolicyRetriesWaitsForAsLongAsTheReceiverAsks() {
        var failure = new Failure(Failure.Type.HTTP_ERROR, "HTTP 403", 403, "");
        var policy = POLICY.with(new RetryRules(List.of("403"), List.of()));

        assertThat(Transitions.next(
                        claim(1, 0, 0), policy, new Outcome.PermanentFailure(failure, false, Duration.ofSeconds(5)), 0))
                .isEqualTo(new Transition.RetryAfter(Duration.ofSeconds(5), failure.toJson()));
    }

    @Test
    void aRetryableFailureIsTriedAgainUntilTheAttemptsAreUsedUp() {
        assertThat(failedNow(0, null)).isEqualTo(retryAfter(Duration.ofSeconds(2)));
        assertThat(failedNow(1, null)).isEqualTo(retryAfter(Duration.ofSeconds(2)));
        assertThat(failedNow(2, null)).isEqualTo(new Transition.Fail(FAILURE.toJson()));
        assertThat(failedNow(3, null)).isEqualTo(new Transition.Fail(FAILURE.toJson()));
    }

    @Test
    void thePolicyOfAnEndpointThatStatesNoneIsOneAttempt() {
        assertThat(Transitions.next(
                        claim(1, 0, 0), RetryPolicy.DEFAULT, new Outcome.RetryableFailure(FAILURE, null), 0))
                .isEqualTo(new Transition.Fail(FAILURE.toJson()));
    }

    @Test
    void lostAndInterruptedAttemptsDoNotUseUpRetries() {
        var seventhAttempt = claim(7, 1, 3);

        assertThat(next(seventhAttempt, new Outcome.RetryableFailure(FAILURE, null)))
                .isEqualTo(retryAfter(Duration.ofSeconds(2)));
        assertThat(next(claim(3, 2, 0), new Outcome.Interrupted())).isEqualTo(new Transition.Interrupt());
        assertThat(next(claim(3, 2, 0), new Outcome.Interrupted(true))).isEqualTo(new Transition.Interrupt(true));
        assertThat(next(claim(3, 2, 0), new Outcome.LeaseLost())).isEqualTo(new Transition.Abandon());
    }

    @Test
    void aReceiverMayAskForMoreTimeButNotForMoreThanThePolicyAllows() {
        assertThat(failedNow(0, Duration.ofSeconds(7))).isEqualTo(retryAfter(Duration.ofSeconds(7)));
        assertThat(failedNow(0, Duration.ofSeconds(1))).isEqualTo(retryAfter(Duration.ofSeconds(2)));
        assertThat(failedNow(0, Duration.ZERO)).isEqualTo(retryAfter(Duration.ofSeconds(2)));
        assertThat(failedNow(0, Duration.ofDays(400))).isEqualTo(retryAfter(Duration.ofSeconds(10)));
        assertThat(failedNow(2, Duration.ofSeconds(7))).isEqualTo(new Transition.Fail(FAILURE.toJson()));
    }

    @Test
    void aTimeThatTheReceiverAskedForIsNotShortenedByJitter() {
        assertThat(Transitions.next(
                        claim(1, 0, 0), POLICY, new Outcome.RetryableFailure(FAILURE, Duration.ofSeconds(2)), 1))
                .isEqualTo(retryAfter(Duration.ofSeconds(2)));
        assertThat(Transitions.next(claim(1, 0, 0), POLICY, new Outcome.RetryableFailure(FAILURE, null), 1))
                .isEqualTo(retryAfter(Duration.ofMillis(1500)));
    }
}
