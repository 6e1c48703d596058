package io.taskexec.store.dependency;

import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.delivery.Claim;
import io.taskexec.model.delivery.Transition;
import io.taskexec.model.dependency.TriggerRule;
import io.taskexec.store.job.NewJob;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.NeedsOwnServer;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/** Two processes end the two parents of a child at the same instant, 10,000 times. */
@StoreTest
@NeedsOwnServer("So many rows take too long elsewhere.")
class SimultaneousEndsTest {
    private static final int ROUNDS = 20;
    private static final int PAIRS = 500;
    private static final Duration BOUND = Duration.ofSeconds(60);

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    @Test
    void noChildIsForgottenAndNoneIsReleasedTwice() throws Exception {
        rows.endpoint(DependencyBed.ENDPOINT).insert();
        var left = new DependencyBed(db);
        var right = new DependencyBed(db);
        try (var threads = Executors.newFixedThreadPool(2)) {
            for (var round = 0; round < ROUNDS; round++) {
                var claims = claims(left, create(left));
                var start = new CyclicBarrier(2);
                var ends = List.of(
                        threads.submit(() -> end(left, claims.getFirst(), start)),
                        threads.submit(() -> end(right, claims.getLast(), start)));
                for (var end : ends) {
                    end.get();
                }
                // No sweep helps here: who ends a parent has to release the child.
                Eventually.await(
                        "all children are due",
                        BOUND,
                        () -> db.number("SELECT count(*) FROM exec_live WHERE trigger_rule IS NULL") == PAIRS);
                var miscounted = "SELECT count(*) FROM exec_live WHERE parents_open <> 0 OR parents_succeeded <> 2";
                assertThat(db.number(miscounted)).isZero();
                rows.clearJobs();
            }
        }
    }

    /** The parents of all children: the first ones, and the second ones. */
    private static List<List<UUID>> create(DependencyBed bed) {
        var first = new ArrayList<UUID>();
        var second = new ArrayList<UUID>();
        var parents = new ArrayList<NewJob>();
        var children = new ArrayList<NewJob>();
        for (var i = 0; i < PAIRS; i++) {
            var one = DependencyBed.job();
            var other = DependencyBed.job();
            parents.addAll(List.of(one, other));
            first.add(one.id());
            second.add(other.id());
            children.add(DependencyBed.child(DependencyBed.on(TriggerRule.ALL_SUCCESS, one.id(), other.id())));
        }
        store(bed, parents);
        store(bed, children);
        return List.of(first, second);
    }

    private static void store(DependencyBed bed, List<NewJob> jobs) {
        var results = Multi.createFrom()
                .iterable(jobs)
                .onItem()
                .transformToUniAndMerge(bed.creator::create)
                .collect()
                .asList()
                .await()
                .atMost(BOUND);
        assertThat(results).allMatch(NewJob.Result.Created.class::isInstance);
    }

    private static List<List<Claim>> claims(DependencyBed bed, List<List<UUID>> parents) {
        var byId = new HashMap<UUID, Claim>();
        bed.claim(2 * PAIRS).forEach(claim -> byId.put(claim.executionId(), claim));
        return parents.stream().map(ids -> ids.stream().map(byId::get).toList()).toList();
    }

    private static boolean end(DependencyBed bed, List<Claim> claims, CyclicBarrier start) throws Exception {
        var _ = start.await();
        var done = Multi.createFrom()
                .iterable(claims)
                .onItem()
                .transformToUniAndMerge(claim -> record(bed, claim))
                .collect()
                .asList()
                .await()
                .atMost(BOUND);
        assertThat(done).hasSize(PAIRS).allMatch(Boolean::booleanValue);
        return true;
    }

    private static Uni<Boolean> record(DependencyBed bed, Claim claim) {
        return bed.recorder.record(claim, UUID.randomUUID(), new Transition.Succeed(Rows.json("{}")));
    }
}
