package io.taskexec.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.testing.NewClaim;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RunningLeasesTest {
    private final RunningLeases running = new RunningLeases();

    private Lease added() {
        var lease = TestLease.of(new NewClaim().claimed(), Duration.ZERO, Duration.ofMinutes(1));
        running.add(lease);
        return lease;
    }

    private static Lease called(Lease lease) {
        assertThat(lease.orCancelled(() -> Uni.createFrom().item(new Outcome.Interrupted()))
                        .await()
                        .indefinitely())
                .isNotNull();
        return lease;
    }

    @Test
    void whatWasCalledIsRememberedWhenItsResultIsNotRecordedAndNothingElseIs() {
        var unrecorded = called(added());
        var recorded = called(added());
        var unsent = added();

        running.removeUnrecorded(unrecorded);
        running.remove(recorded);
        running.removeUnrecorded(unsent);

        assertThat(running.all()).isEmpty();
        assertThat(running.wasCalled(unrecorded.claim().executionId())).isTrue();
        assertThat(running.wasCalled(recorded.claim().executionId())).isFalse();
        assertThat(running.wasCalled(unsent.claim().executionId())).isFalse();
    }

    @Test
    void leasesMayHoldOnWhileOneIsHereAndAfterOneCouldNotBeHandedBack() {
        assertThat(running.mayHoldSome()).isFalse();

        var lease = added();
        assertThat(running.mayHoldSome()).isTrue();
        running.remove(lease);
        assertThat(running.mayHoldSome()).isFalse();

        running.unreturned();
        assertThat(running.mayHoldSome()).isTrue();
    }
}
