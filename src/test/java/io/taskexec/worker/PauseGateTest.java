package io.taskexec.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;
import io.taskexec.store.endpoint.QueueStore.Place;
import io.taskexec.testing.NewClaim;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The database answers when the test says so. */
class PauseGateTest {
    private final Deque<CompletableFuture<Long>> looks = new ArrayDeque<>();
    private final Deque<CompletableFuture<Place>> questions = new ArrayDeque<>();
    private long now = 1_000_000_000_000L;

    private final PauseGate gate = new PauseGate(
            new PauseGate.Queues() {
                @Override
                public Uni<Long> epoch() {
                    return Uni.createFrom().completionStage(() -> asked(looks));
                }

                @Override
                public Uni<Place> placeOf(UUID executionId) {
                    return Uni.createFrom().completionStage(() -> asked(questions));
                }
            },
            () -> now);

    private static <T> CompletableFuture<T> asked(Deque<CompletableFuture<T>> questions) {
        var answer = new CompletableFuture<T>();
        questions.add(answer);
        return answer;
    }

    private void pass(Duration time) {
        now += time.toNanos();
    }

    private static Lease lease(long epoch) {
        return new Lease(
                new NewClaim().claimed(), Lease.Term.of(System.nanoTime(), Duration.ofMinutes(1)), epoch, () -> {});
    }

    private UniAssertSubscriber<Boolean> ask(Lease lease) {
        return gate.mayBegin(lease).subscribe().withSubscriber(UniAssertSubscriber.create());
    }

    @Test
    void afterALookAtTheListOfQueuesExecutionsBeginWithoutAnotherOne() {
        gate.looked(now, 7);
        pass(Duration.ofMillis(99));

        ask(lease(7)).assertCompleted().assertItem(true);

        assertThat(looks).isEmpty();
    }

    @Test
    void allThatComeAfterALookIsTooOldWaitForOneAndBeginWhenNothingWasPaused() {
        gate.looked(now, 7);
        pass(Duration.ofMillis(151));

        var waiting = new ArrayList<UniAssertSubscriber<Boolean>>();
        for (var i = 0; i < 10; i++) {
            waiting.add(ask(lease(7)));
        }
        waiting.forEach(one -> one.assertNotTerminated());
        assertThat(looks).hasSize(1);
        looks.remove().complete(7L);

        waiting.forEach(one -> one.assertItem(true));
        assertThat(questions).isEmpty();
    }

    @Test
    void anAgeingLookIsFollowedByOneThatNothingWaitsFor() {
        gate.looked(now, 7);
        pass(Duration.ofMillis(101));
        ask(lease(7)).assertItem(true);
        assertThat(looks).hasSize(1);
        looks.remove().complete(7L);

        pass(Duration.ofMillis(99));
        ask(lease(7)).assertItem(true);
        assertThat(looks).isEmpty();
    }

    @Test
    void afterAChangeOfQueuesAnExecutionOfAPausedOneDoesNotBegin() {
        gate.looked(now, 7);
        pass(Duration.ofMillis(200));
        var paused = ask(lease(7));
        var other = lease(7);
        var running = ask(other);
        looks.remove().complete(8L);

        questions.remove().complete(new Place(8, true));
        questions.remove().complete(new Place(8, false));

        paused.assertItem(false);
        running.assertItem(true);
        assertThat(gate.epoch()).isEqualTo(8);
        ask(other).assertItem(true);
        assertThat(questions).as("it is asked once for each change").isEmpty();
    }

    @Test
    void whatIsClaimedByAnOldListIsAskedForWhenAnotherLookHasSeenTheChange() {
        gate.looked(now, 8);

        var late = ask(lease(7));
        questions.remove().complete(new Place(8, true));

        late.assertItem(false);
        assertThat(looks).isEmpty();
    }

    @Test
    void aLookCountsFromItsStartAndOneThatTookTooLongIsRepeated() {
        pass(Duration.ofSeconds(1));
        var waiting = ask(lease(7));
        var first = looks.remove();
        pass(Duration.ofMillis(160));
        first.complete(7L);

        waiting.assertNotTerminated();
        assertThat(looks).hasSize(1);
        looks.remove().complete(7L);
        waiting.assertItem(true);
    }

    @Test
    void aDatabaseThatIsAlwaysSlowDoesNotKeepEverythingFromBeginning() {
        var waiting = ask(lease(7));
        for (var i = 0; i < 3; i++) {
            waiting.assertNotTerminated();
            pass(Duration.ofMillis(500));
            looks.remove().complete(7L);
        }

        waiting.assertItem(true);
    }

    @Test
    void anOlderLookWhoseAnswerComesLaterDoesNotHideAChange() {
        pass(Duration.ofSeconds(1));
        var _ = ask(lease(7));
        pass(Duration.ofMillis(10));
        gate.looked(now, 8);
        looks.remove().complete(7L);

        assertThat(gate.epoch()).isEqualTo(8);
    }

    @Test
    void aLookThatFailsFailsThoseThatWaitForItAndTheNextOneLooksAnew() {
        pass(Duration.ofSeconds(1));
        var failed = ask(lease(7));
        looks.remove().completeExceptionally(new IllegalStateException("no database"));
        failed.assertFailedWith(IllegalStateException.class);

        var next = ask(lease(7));
        looks.remove().complete(7L);
        next.assertItem(true);
    }

    @Test
    void anIdleProcessLooksAtNothing() {
        pass(Duration.ofHours(1));
        assertThat(List.of(looks.size(), questions.size())).containsOnly(0);
    }
}
