package io.taskexec.e2e;

import static io.taskexec.e2e.PullClient.error;
import static io.taskexec.e2e.PullClient.item;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Eventually;
import io.taskexec.testing.NeedsOwnServer;
import io.taskexec.testing.Program;
import io.taskexec.testing.ServerDb;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** The requests of a pull worker reach several processes, as they do behind a load balancer. */
@TestInstance(Lifecycle.PER_CLASS)
@NeedsOwnServer("Processes tell each other by NOTIFY.")
class LeasesElsewhereIT {
    private final Program.Setup setup = Program.serving(ServerDb.fresh(LeasesElsewhereIT.class));
    private final Program first = setup.startReady();
    private final Program second = setup.startReady();
    private PullClient one = new PullClient(first.api(), first);
    private PullClient other = one.at(second);

    LeasesElsewhereIT() throws InterruptedException {
        awaitNews(one, other);
        awaitNews(other, one);
    }

    /** One that has been told at a process may be told once more at the other one. */
    private void becomeAnotherWorker() {
        one = new PullClient(first.api(), first);
        other = one.at(second);
    }

    /** Waits until what is created at one process is heard at the other one. */
    private static void awaitNews(PullClient from, PullClient to) throws InterruptedException {
        var endpoint = from.endpoint("");
        Eventually.await("it hears others", PullClient.BOUND, () -> {
            var waiting = to.waiting(endpoint);
            var start = System.nanoTime();
            var _ = from.start(endpoint);
            var _ = waiting.join();
            return since(start).compareTo(AtOnce.BOUND) < 0;
        });
    }

    private static Duration since(long start) {
        return Duration.ofNanos(System.nanoTime() - start);
    }

    @AfterAll
    void stop() {
        first.close();
        second.close();
    }

    @Test
    void aCancellationReachesTheWorkerAtOnceAtEachProcessThatItWaitsAt() {
        for (var isElsewhere : new boolean[] {false, true}) {
            AtOnce.check(() -> {
                becomeAnotherWorker();
                return cancel(isElsewhere ? other : one);
            });
        }
    }

    /** Gives how long the worker waited there until it was told. */
    private Duration cancel(PullClient there) {
        var endpoint = one.endpoint("");
        var id = one.start(endpoint);
        var lease = one.leased(endpoint);
        var waiting = there.full(endpoint);
        var begunAt = System.nanoTime();

        second.api().act("/executions/" + id + "/cancel?force=true");

        var told = waiting.join();
        var waited = since(begunAt);
        assertThat(told.getString("cancelled[0].lease")).isEqualTo(lease);
        assertThat(told.getString("cancelled[0].reason")).isEqualTo("CANCELLED");
        var extended = there.tell("extend", item(lease));
        assertThat(error(extended, 0)).isEqualTo("LEASE_LOST");
        assertThat(extended.getString("results[0].error.message")).isEqualTo("The execution was cancelled.");
        return waited;
    }

    @Test
    void aPreemptionReachesTheWorkerAtOnceAndWithItsNextExtensionAtAnotherProcess() {
        AtOnce.check(() -> {
            becomeAnotherWorker();
            var endpoint = one.endpoint(", 'preemptible': true");
            one.start(endpoint);
            var lease = one.leased(endpoint);
            var waiting = other.full(endpoint);
            var begunAt = System.nanoTime();

            one.start(endpoint, ", 'priority': 0");

            var told = waiting.join();
            var waited = since(begunAt);
            assertThat(told.getString("cancelled[0].lease")).isEqualTo(lease);
            assertThat(told.getString("cancelled[0].reason")).isEqualTo("PREEMPTED");
            assertThat(other.tell("extend", item(lease)).getString("results[0].cancel"))
                    .isEqualTo("PREEMPTED");
            other.tell("release", item(lease));
            assertThat(other.lease(endpoint, "").getInt("leases[0].priority")).isZero();
            return waited;
        });
    }

    /** A lease that has ended elsewhere would be asked first, and never answer. */
    @Test
    void whatHasEndedAtAnotherProcessIsNotAskedToYield() throws InterruptedException {
        var endpoint = one.endpoint(", 'preemptible': true");
        one.start(endpoint);
        one.start(endpoint);
        var leases = one.lease(endpoint, ", 'max': 2").getList("leases.lease", String.class);
        assertThat(leases).hasSize(2);
        other.tell("complete", item(leases.getLast()));

        one.start(endpoint, ", 'priority': 0");

        Eventually.await(
                "the other one is asked",
                PullClient.BOUND,
                () -> "PREEMPTED"
                        .equals(one.tell("extend", item(leases.getFirst())).getString("results[0].cancel")));
    }

    @Test
    void aProcessDecidesAboutWhatOneThatDiedHasHandedOut() throws InterruptedException {
        try (var dying = setup.startReady()) {
            var there = one.at(dying);
            var endpoint = one.endpoint(", 'preemptible': true");
            one.start(endpoint);
            var lease = there.leased(endpoint);
            dying.kill();

            one.start(endpoint, ", 'priority': 0");

            Eventually.await(
                    "the extension says so",
                    PullClient.BOUND,
                    () -> "PREEMPTED".equals(other.tell("extend", item(lease)).getString("results[0].cancel")));
        }
    }
}
