package io.taskexec.lease;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.lease.Allocation.Want;
import io.taskexec.store.execution.PulledClaims.Request;
import io.taskexec.store.pull.PullQueues.PullQueue;
import io.taskexec.store.sql.Lanes;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@StoreTest
class PullClaimsTest {
    private static final int OTHER_QUEUE = 8;
    private static final String OTHER = "other";

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    @BeforeAll
    static void makeEndpoint() {
        LeaseProcess.makeEndpoint(db, rows);
        LeaseProcess.makeEndpoint(db, rows, OTHER_QUEUE, OTHER);
    }

    @BeforeEach
    void clear() {
        rows.clearJobs();
    }

    private static long dueWithoutAttempt() {
        return db.number("""
                SELECT count(*) FROM exec_live WHERE lease_token IS NULL AND attempt = 0 AND visible_at <= now()
                """);
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
            assertThat(dueWithoutAttempt()).isEqualTo(1);
        }
    }

    @Test
    void theDeadlineOfAnAttemptCountsFromTheRequestForItHoweverLongItsParentsTook() {
        try (var process = new LeaseProcess(db)) {
            var _ = LeaseProcess.due(rows, 4);
            var call = LeaseProcess.call();
            var request =
                    new Request(Map.of(LeaseProcess.QUEUE, 1), List.of(0), 7, Duration.ofMinutes(1), call.workerId());
            var claimed = await(process.store.claim(request)).claims().getFirst();
            var askedAt = System.nanoTime() - Duration.ofSeconds(10).toNanos();

            await(process.claims.give(call, claimed, askedAt));

            assertThat(call.got().getFirst().lease().begunAt()).isEqualTo(askedAt);
        }
    }

    /** Makes executions that are due, with inputs of a million characters. */
    private static void makeLarge(int count) {
        IntStream.range(0, count).forEach(_ -> {
            var _ = LeaseProcess.due(rows, 4);
        });
        db.execute("UPDATE jobs SET input = to_json(repeat('x', 999998))");
    }

    private static Set<String> claim(LeaseProcess process, PullCall call) {
        var endpoint = LeaseProcess.ENDPOINT;
        var allocation = Allocation.of(List.of(new Want(List.of(endpoint), call.room())), Set.of(), 0, PullClaims.MOST);
        return await(process.claims.claim(
                List.of(call), allocation, Map.of(endpoint, new PullQueue(LeaseProcess.QUEUE, false))));
    }

    @Test
    void inputsForWhichThereIsNoRoomAreDueAgainAndNothingElseIsClaimed() {
        try (var process = new LeaseProcess(db)) {
            makeLarge(50);
            var call = LeaseProcess.call(LeaseProcess.ENDPOINT, 50);

            assertThat(claim(process, call)).containsExactly(LeaseProcess.ENDPOINT);

            assertThat(call.got()).hasSize(8);
            assertThat(dueWithoutAttempt()).isEqualTo(42);
        }
    }

    /** Makes executions that are due and depend on one that has succeeded with such an output. */
    private static void makeChildren(int count, int characters) {
        makeChildren(LeaseProcess.QUEUE, LeaseProcess.ENDPOINT, count, characters);
    }

    private static void makeChildren(int queue, String endpoint, int count, int characters) {
        var parent = rows.finished().insert();
        db.execute(
                "UPDATE executions SET output = to_json(repeat('x', $2::int)) WHERE execution_id = $1",
                parent,
                characters);
        for (var i = 0; i < count; i++) {
            var child = rows.live()
                    .endpoint(endpoint)
                    .lane(Lanes.lane(queue, 0, false, 4))
                    .insert();
            db.execute("INSERT INTO job_edges VALUES ($1, $2, 'a', true)", child, parent);
            db.execute("UPDATE jobs SET trigger_rule = 'all_success' WHERE job_id = $1", child);
        }
    }

    @Test
    void resultsOfParentsForWhichThereIsNoRoomAreDueAgainAndNothingElseIsClaimed() {
        try (var process = new LeaseProcess(db)) {
            makeChildren(20, 999_900);
            var call = LeaseProcess.call(LeaseProcess.ENDPOINT, 20);

            assertThat(claim(process, call)).containsExactly(LeaseProcess.ENDPOINT);

            assertThat(call.got()).hasSize(8);
            assertThat(dueWithoutAttempt()).isEqualTo(12);
        }
    }

    @Test
    void largerResultsOfParentsComeAlone() {
        try (var process = new LeaseProcess(db)) {
            makeChildren(3, 9_000_000);
            var call = LeaseProcess.call(LeaseProcess.ENDPOINT, 3);

            var _ = claim(process, call);

            assertThat(call.got()).hasSize(1);
            assertThat(dueWithoutAttempt()).isEqualTo(2);
        }
    }

    @Test
    void anInputCountsWithTheValuesOfItsTemplates() {
        try (var process = new LeaseProcess(db)) {
            makeChildren(6, 999_900);
            db.execute("UPDATE jobs SET options = '{\"template\": true}',"
                    + " input = to_json('{{parents.a.output}}'::text)");
            var call = LeaseProcess.call(LeaseProcess.ENDPOINT, 6);

            var _ = claim(process, call);

            assertThat(call.got()).hasSize(4);
            assertThat(dueWithoutAttempt()).isEqualTo(2);
        }
    }

    @Test
    void severalCallsTogetherGetNoMoreResultsThanOne() {
        try (var process = new LeaseProcess(db)) {
            makeChildren(20, 999_900);
            var endpoint = LeaseProcess.ENDPOINT;
            var calls = Stream.generate(() -> LeaseProcess.call(endpoint, 1))
                    .limit(20)
                    .toList();

            claim(process, calls, 0);

            assertThat(calls.stream().mapToInt(call -> call.got().size()).sum()).isBetween(8, 12);
        }
    }

    private static void claim(LeaseProcess process, List<PullCall> calls, int turn) {
        var wants = calls.stream()
                .map(call -> new Want(call.request().endpoints(), call.room()))
                .toList();
        var queues = Map.of(
                LeaseProcess.ENDPOINT,
                new PullQueue(LeaseProcess.QUEUE, false),
                OTHER,
                new PullQueue(OTHER_QUEUE, false));
        var _ = await(process.claims.claim(calls, Allocation.of(wants, Set.of(), turn, PullClaims.MOST), queues));
    }

    @Test
    void noCallGetsASecondOneBeforeAllHadAFirst() {
        try (var process = new LeaseProcess(db)) {
            makeChildren(20, 999_900);
            makeChildren(OTHER_QUEUE, OTHER, 1, 999_900);
            var late = LeaseProcess.call(OTHER, 1);

            claim(process, List.of(LeaseProcess.call(LeaseProcess.ENDPOINT, 20), late), 0);

            assertThat(late.got()).hasSize(1);
        }
    }

    @Test
    void theFirstOneIsForTheCallWhoseTurnItIs() {
        try (var process = new LeaseProcess(db)) {
            makeChildren(4, 2_500_000);
            makeChildren(OTHER_QUEUE, OTHER, 1, 2_500_000);
            var calls = Stream.concat(
                            Stream.generate(LeaseProcess::call).limit(4), Stream.of(LeaseProcess.call(OTHER, 1)))
                    .toList();

            claim(process, calls, 4);

            assertThat(calls.getLast().got()).hasSize(1);
            assertThat(calls.get(3).got()).isEmpty();
        }
    }

    @Test
    void whereSomeHadNoRoomTheNextClaimTakesTwiceAsManyAsHad() {
        try (var process = new LeaseProcess(db)) {
            makeChildren(40, 999_900);
            var _ = claim(process, LeaseProcess.call(LeaseProcess.ENDPOINT, 40));
            assertThat(dueWithoutAttempt()).isEqualTo(32);
            // What is handed back is due at that time.
            db.execute("UPDATE exec_live SET visible_at = now() - interval '1 hour' WHERE lease_token IS NULL");
            var call = LeaseProcess.call(LeaseProcess.ENDPOINT, 32);

            var _ = claim(process, call);

            assertThat(call.got()).hasSize(8);
            assertThat(dueWithoutAttempt()).isEqualTo(24);
            assertThat(db.number("SELECT count(*) FROM exec_live WHERE lease_token IS NULL"
                            + " AND visible_at > now() - interval '1 minute'"))
                    .isEqualTo(8);
        }
    }

    @Test
    void whereAllHadRoomTheNextClaimTakesTwiceAsMany() {
        try (var process = new LeaseProcess(db)) {
            makeChildren(12, 999_900);
            var _ = claim(process, LeaseProcess.call(LeaseProcess.ENDPOINT, 12));
            db.execute("DELETE FROM exec_live WHERE lease_token IS NULL");
            makeChildren(60, 10);

            for (var most : List.of(16, 32, 12)) {
                var call = LeaseProcess.call(LeaseProcess.ENDPOINT, 100);
                var _ = claim(process, call);
                assertThat(call.got()).hasSize(most);
            }
        }
    }

    @Test
    void severalClaimsBringOneAnswerNoMoreResultsThanOne() {
        try (var process = new LeaseProcess(db)) {
            var call = LeaseProcess.call(LeaseProcess.ENDPOINT, 50);
            makeChildren(5, 999_900);
            var _ = claim(process, call);
            makeChildren(5, 999_900);
            var _ = claim(process, call);

            assertThat(call.got()).hasSize(8);
            assertThat(dueWithoutAttempt()).isEqualTo(2);
        }
    }

    @Test
    void whatCouldNotBeHandedBackIsDueAgainLaterAsIfItHadNotBeenLeased() {
        db.execute("""
                CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'on purpose'; END $$
                """);
        db.execute("""
                CREATE TRIGGER refuses BEFORE UPDATE ON exec_live FOR EACH ROW WHEN (NEW.lease_token IS NULL)
                EXECUTE FUNCTION refuse()
                """);
        try (var process = new LeaseProcess(db)) {
            makeLarge(20);
            var call = LeaseProcess.call(LeaseProcess.ENDPOINT, 20);
            var _ = claim(process, call);
            assertThat(dueWithoutAttempt()).isZero();
            db.execute("DROP TRIGGER refuses ON exec_live");

            await(process.store.freeLost(Stores.leases(db.database()), Duration.ZERO));

            assertThat(call.got()).hasSize(8);
            assertThat(dueWithoutAttempt()).isEqualTo(12);
        } finally {
            db.execute("DROP FUNCTION refuse CASCADE");
        }
    }

    @Test
    void severalClaimsBringOneAnswerNoMoreInputsThanOne() {
        try (var process = new LeaseProcess(db)) {
            var call = LeaseProcess.call(LeaseProcess.ENDPOINT, 50);
            makeLarge(5);
            var _ = claim(process, call);
            makeLarge(5);
            var _ = claim(process, call);

            assertThat(call.got()).hasSize(8);
            assertThat(dueWithoutAttempt()).isEqualTo(2);
        }
    }

    @Test
    void whatACallGotThatWaitsNoLongerIsDueAgainWhenANextClaimFails() throws InterruptedException {
        var _ = LeaseProcess.due(rows, 4);
        try (var process = new LeaseProcess(db)) {
            var call = LeaseProcess.call(LeaseProcess.ENDPOINT, 2, "revoked");
            assertThat(process.calls.add(call)).isTrue();
            var _ = claim(process, call);
            assertThat(call.got()).hasSize(1);

            process.calls.endWaitsOf(Set.of("revoked"));
            process.calls.fail(List.of(call), new IllegalStateException("on purpose"));

            Eventually.await("it is due again", Duration.ofSeconds(10), () -> dueWithoutAttempt() == 1);
        }
    }
}
