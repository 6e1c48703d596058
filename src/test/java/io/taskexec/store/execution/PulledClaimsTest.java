package io.taskexec.store.execution;

import static io.taskexec.testing.Rows.json;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.taskexec.model.delivery.Claim;
import io.taskexec.model.delivery.Transition;
import io.taskexec.model.wait.DeferralMode;
import io.taskexec.model.wait.DeferralTerms;
import io.taskexec.store.execution.PulledClaims.Pulled;
import io.taskexec.store.execution.PulledClaims.Request;
import io.taskexec.store.flow.FlowReleases;
import io.taskexec.store.pull.LeaseTerms;
import io.taskexec.store.pull.LeaseTerms.Term;
import io.taskexec.store.pull.PullQueues;
import io.taskexec.store.pull.PullQueues.PullQueue;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.Lanes;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@StoreTest
class PulledClaimsTest {
    private static final Duration LEASE = Duration.ofMinutes(1);
    private static final UUID WORKER = UUID.randomUUID();
    private static final int RESIZE = 7;
    private static final int OTHER = 8;
    private static final List<Integer> HERE = List.of(0);
    private static final Transition SUCCESS = new Transition.Succeed(json("{}"));

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private static PulledClaims claims;
    private static LeaseStore leases;
    private static ResultRecorder recorder;

    @BeforeAll
    static void open() {
        claims = new PulledClaims(db.database(), FlowReleases.none(db.database()));
        leases = Stores.leases(db.database());
        recorder = Stores.recorder(db.database());
        for (var queue : Map.of("resize", RESIZE, "other", OTHER).entrySet()) {
            db.execute("INSERT INTO queues (queue_id, name, pulled) VALUES (%d, 'worker:%s', true)"
                    .formatted(queue.getValue(), queue.getKey()));
            rows.endpoint(queue.getKey()).insert();
            db.execute("UPDATE endpoint_versions SET endpoint_type = 'WORKER', spec = '{}', queue_id = %d"
                            .formatted(queue.getValue())
                    + " WHERE name = '%s'".formatted(queue.getKey()));
        }
        rows.flowPolicy("resize", "max_concurrency", "1");
        rows.flowPolicy("other", "rate_spacing_us, rate_burst", "3600000000, 2");
    }

    @BeforeEach
    void clear() {
        rows.clearJobs();
        db.execute("UPDATE queues SET paused_at = NULL");
    }

    @CanIgnoreReturnValue
    private static UUID queue(int queue, int priority) {
        return rows.live()
                .endpoint(queue == RESIZE ? "resize" : "other")
                .lane(Lanes.lane(queue, 0, false, priority))
                .insert();
    }

    private static List<UUID> claim(int limit) {
        return claim(new Request(Map.of(RESIZE, limit), HERE, 7, LEASE, WORKER));
    }

    private static List<UUID> claim(Request request) {
        return await(claims.claim(request)).claims().stream()
                .map(one -> one.claim().executionId())
                .toList();
    }

    private static List<Pulled> claim(Map<Integer, Integer> limits) {
        return await(claims.claim(new Request(limits, HERE, 7, LEASE, WORKER))).claims();
    }

    private static boolean recorded(Claim claim, Transition transition) {
        return await(recorder.record(claim, WORKER, transition));
    }

    @Test
    void eachQueueGivesAsManyAsAreAskedForTheMostUrgentFirst() {
        var late = queue(RESIZE, 6);
        var urgent = queue(RESIZE, 0);
        var tick = rows.live()
                .endpoint("resize")
                .lane(Lanes.lane(RESIZE, 0, true, 2))
                .insert();
        queue(OTHER, 4);
        var other = queue(OTHER, 1);

        var first = claim(Map.of(RESIZE, 2, OTHER, 1));

        assertThat(first).extracting(one -> one.claim().executionId()).containsExactlyInAnyOrder(urgent, tick, other);
        assertThat(first)
                .filteredOn(one -> one.claim().executionId().equals(tick))
                .extracting(Pulled::priority)
                .containsExactly(2);
        assertThat(claim(5)).containsExactly(late);
    }

    @Test
    void whatIsLessUrgentThanAskedForWaits() {
        var usual = queue(RESIZE, 4);
        var urgent = queue(RESIZE, 3);
        var queues = new PullQueues(db.database());
        var resize = List.of(new PullQueue(RESIZE, true));

        assertThat(claim(new Request(Map.of(RESIZE, 5), HERE, 3, LEASE, WORKER)))
                .containsExactly(urgent);
        assertThat(await(queues.untilNextDue(resize, HERE, 3))).isPositive();
        assertThat(await(queues.untilNextDue(resize, HERE, 4))).isLessThanOrEqualTo(Duration.ZERO);
        assertThat(claim(5)).containsExactly(usual);
    }

    @Test
    void neitherKindOfWorkersClaimsFromTheOther() {
        rows.endpoint(Rows.ENDPOINT).insert();
        var pushed = rows.live().insert();
        var pulled = queue(RESIZE, 4);

        assertThat(claim(10)).containsExactly(pulled);
        assertThat(await(leases.claim(Lanes.of(Lanes.lines(List.of(0), HERE)), 10, LEASE, WORKER)))
                .extracting(Claim::executionId)
                .containsExactly(pushed);
    }

    @Test
    void nothingIsClaimedFromAPausedQueueAndNothingIsWaitedFor() {
        queue(RESIZE, 4);
        var queues = new PullQueues(db.database());
        db.execute("UPDATE queues SET paused_at = now() WHERE queue_id = " + RESIZE);

        assertThat(claim(10)).isEmpty();
        assertThat(await(queues.untilNextDue(List.of(new PullQueue(RESIZE, true)), HERE, 7)))
                .isNull();
        assertThat(await(queues.urgent(List.of(new PullQueue(RESIZE, true)), HERE, Duration.ZERO, 5)))
                .isEmpty();
    }

    @Test
    void whatIsUrgentIsCountedForEachQueue() {
        IntStream.range(0, 4).forEach(_ -> queue(RESIZE, 0));
        queue(OTHER, 1);
        queue(OTHER, 0);
        var queues = new PullQueues(db.database());
        var both = List.of(new PullQueue(RESIZE, true), new PullQueue(OTHER, false));

        assertThat(await(queues.urgent(both, HERE, Duration.ZERO, 3)))
                .containsExactlyInAnyOrderEntriesOf(Map.of(RESIZE, 3, OTHER, 1));
        assertThat(await(queues.urgent(both, HERE, Duration.ofMinutes(5), 3))).isEmpty();
    }

    private static Map<Integer, Integer> urgent(int queue) {
        var queues = new PullQueues(db.database());
        return await(queues.urgent(List.of(new PullQueue(queue, true)), HERE, Duration.ZERO, 5));
    }

    private static void urgentOfKeys(int queue, String endpoint, String... keys) {
        for (var key : keys) {
            var _ = rows.live()
                    .endpoint(endpoint)
                    .lane(Lanes.lane(queue, 0, false, 0))
                    .flow(key)
                    .insert();
        }
    }

    @Test
    void whatIsUrgentAndHasAFlowKeyCountsAsFarAsTheKeyHasRoom() {
        queue(RESIZE, 0);
        urgentOfKeys(RESIZE, "resize", "a", "a", "a", "b");
        var _ = rows.live()
                .endpoint("resize")
                .lane(Lanes.lane(RESIZE, 0, false, 0))
                .parked("c")
                .insert();

        assertThat(urgent(RESIZE)).isEqualTo(Map.of(RESIZE, 3));

        db.execute("UPDATE flow_limits SET open = 1 WHERE flow_key = 'a'");
        assertThat(urgent(RESIZE)).isEqualTo(Map.of(RESIZE, 2));

        // A key has no limits before the first claim of one of its executions.
        db.execute("DELETE FROM flow_limits");
        assertThat(urgent(RESIZE)).isEqualTo(Map.of(RESIZE, 3));
    }

    @Test
    void whatIsUrgentAndHasAFlowKeyCountsAsFarAsTheKeyHasTokens() {
        urgentOfKeys(OTHER, "other", "a", "a", "a", "a");
        assertThat(urgent(OTHER)).isEqualTo(Map.of(OTHER, 2));

        db.execute("UPDATE flow_limits SET tat = now() + interval '1 hour'");
        assertThat(urgent(OTHER)).isEqualTo(Map.of(OTHER, 1));

        db.execute("UPDATE flow_limits SET tat = now() + interval '2 hours'");
        assertThat(urgent(OTHER)).isEmpty();
    }

    @Test
    void flowKeysLimitWhatIsClaimed() {
        IntStream.range(0, 3)
                .forEach(_ -> rows.live()
                        .endpoint("resize")
                        .lane(Lanes.lane(RESIZE, 0, false, 4))
                        .flow("a")
                        .insert());

        var answer = await(claims.claimKeyed(new Request(Map.of(RESIZE, 10), HERE, 7, LEASE, WORKER)));

        assertThat(claim(10)).isEmpty();
        assertThat(answer.claims()).hasSize(1);
        assertThat(answer.isFull()).isFalse();
        assertThat(db.number("SELECT count(*) FROM exec_live WHERE flow_state = 1"))
                .isEqualTo(2);
    }

    /** Gives each job an input of a million characters. */
    private static void enlarge() {
        db.execute("UPDATE jobs SET input = to_json(repeat('x', 999998))");
    }

    private static void checkInputs(List<Pulled> claimed, int all) {
        var ordered = claimed.stream().sorted(Pulled.FIRST_DUE).toList();
        assertThat(ordered).hasSize(all);
        assertThat(ordered.subList(0, 8))
                .allMatch(one -> one.claim().input() != null && one.size() == 1_000_000 && !one.isWithheld());
        assertThat(ordered.subList(8, all)).allMatch(one -> one.claim().input() == null && one.isWithheld());
    }

    @Test
    void aClaimBringsInputsAsFarAsThereIsRoomTheMostUrgentFirst() {
        IntStream.range(0, 50).forEach(n -> queue(n % 2 == 0 ? RESIZE : OTHER, n % 8));
        enlarge();

        checkInputs(claim(Map.of(RESIZE, 25, OTHER, 25)), 50);
    }

    @Test
    void soDoesOneOfExecutionsWithFlowKeys() {
        for (var n = 0; n < 12; n++) {
            var _ = rows.live()
                    .endpoint("resize")
                    .lane(Lanes.lane(RESIZE, 0, false, n % 8))
                    .flow("key " + n)
                    .insert();
        }
        enlarge();

        var answer = await(claims.claimKeyed(new Request(Map.of(RESIZE, 12), HERE, 7, LEASE, WORKER)));

        checkInputs(answer.claims(), 12);
    }

    @Test
    void aLargerInputComesAlone() {
        queue(RESIZE, 4);
        queue(RESIZE, 5);
        db.execute("UPDATE jobs SET input = to_json(repeat('x', 9000000))");

        assertThat(claim(Map.of(RESIZE, 2)).stream().sorted(Pulled.FIRST_DUE).map(Pulled::isWithheld))
                .containsExactly(false, true);
    }

    @Test
    void tenClientsAtOnceGetEachExecutionOnce() throws Exception {
        IntStream.range(0, 500).forEach(n -> queue(RESIZE, n % 8));
        var got = new HashSet<UUID>();
        var count = 0;
        try (var clients = Executors.newFixedThreadPool(10)) {
            var all = clients.invokeAll(IntStream.range(0, 10)
                    .<Callable<List<UUID>>>mapToObj(_ -> () -> claim(60))
                    .toList());
            for (var one : all) {
                got.addAll(one.get());
                count += one.get().size();
            }
        }

        assertThat(got).hasSize(count);
        assertThat(count + claim(500).size()).isEqualTo(500);
    }

    @Test
    void aLeaseIsFoundByItsTokenUntilAnotherClaimHasIt() {
        queue(RESIZE, 4);
        var first = claim(Map.of(RESIZE, 1)).getFirst().claim();
        var id = first.executionId();

        var found = await(claims.find(List.of(id), List.of(first.leaseToken()))).getFirst();
        assertThat(found.claim().endpoint()).isEqualTo("resize");
        assertThat(found.claim().attempt()).isEqualTo(1);
        assertThat(found.workerId()).isEqualTo(WORKER);
        assertThat(await(claims.find(List.of(id), List.of(first.leaseToken() + 1))))
                .isEmpty();

        db.execute("UPDATE exec_live SET visible_at = now() WHERE execution_id = $1", id);
        var second = claim(Map.of(RESIZE, 1)).getFirst().claim();

        assertThat(second.attempt()).isEqualTo(2);
        assertThat(second.rescues()).isEqualTo(1);
        assertThat(await(claims.find(List.of(id), List.of(first.leaseToken())))).isEmpty();
        assertThat(recorded(first, SUCCESS)).isFalse();
        assertThat(recorded(second, SUCCESS)).isTrue();
        assertThat(db.row("SELECT status FROM attempts WHERE execution_id = $1", id)
                        .getString("status"))
                .isEqualTo("LOST");
    }

    @Test
    void theLeasesOfOneClaimMayGoToSeveralWorkers() {
        queue(RESIZE, 4);
        var claim = claim(Map.of(RESIZE, 1)).getFirst().claim();
        var other = UUID.randomUUID();
        var terms = new LeaseTerms(db.database());

        assertThat(await(terms.assign(List.of(new Term(claim, other, Duration.ofHours(1))))))
                .containsExactly(claim.executionId());

        assertThat(db.number("SELECT count(*) FROM exec_live WHERE worker_id = '%s'".formatted(other)
                        + " AND visible_at > now() + interval '59 minutes'"))
                .isEqualTo(1);
    }

    @Test
    void whatIsDeferredIsLookedAfterByWorkersOfOurOwnAndGoesHomeForItsNextAttempt() {
        queue(RESIZE, 3);
        var claim = claim(Map.of(RESIZE, 1)).getFirst().claim();
        var terms = new DeferralTerms(DeferralMode.CALLBACK, Duration.ofHours(1), null, null, null);

        assertThat(recorded(claim, new Transition.Defer(terms))).isTrue();
        db.execute("UPDATE exec_live SET visible_at = now()");

        assertThat(claim(5)).isEmpty();
        var look = pushed();
        assertThat(look.isDeferred()).isTrue();
        assertThat(recorded(look, new Transition.RetryAfter(Duration.ZERO, json("{'type': 'DEFERRAL_TIMEOUT'}"))))
                .isTrue();
        var again = pushed();
        await(leases.moveHome(again));

        var next = claim(Map.of(RESIZE, 5)).getFirst();
        assertThat(next.claim().attempt()).isEqualTo(2);
        assertThat(next.claim().failures()).isEqualTo(1);
        assertThat(next.priority()).isEqualTo(3);
    }

    /** The connection breaks while the claim runs, which then runs again on another one with the same token. */
    @Test
    void whatAClaimTookIsDueAgainWhenItsAnswerWasLostButForWhatTheNextAnswerBrought() {
        var brought = queue(RESIZE, 4);
        db.execute("CREATE SEQUENCE runs");
        db.execute("""
                CREATE FUNCTION break_once() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                  IF nextval('runs') = 1 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF;
                  RETURN NEW;
                END $$
                """);
        db.execute("CREATE TRIGGER breaks BEFORE UPDATE ON exec_live FOR EACH ROW EXECUTE FUNCTION break_once()");
        var database = new Database(db.pool(), TestDb.PATIENCE);
        var breaking = new PulledClaims(database, FlowReleases.none(database));
        var request = new Request(Map.of(RESIZE, 5), HERE, 7, LEASE, WORKER);
        var claim = await(breaking.claim(request)).claims().getFirst().claim();
        db.execute("DROP TRIGGER breaks ON exec_live");
        var lost = rows.live()
                .endpoint("resize")
                .lane(Lanes.lane(RESIZE, 0, false, 4))
                .leased(WORKER, LEASE)
                .insert();
        db.execute("UPDATE exec_live SET lease_token = $2 WHERE execution_id = $1", lost, claim.leaseToken());

        await(breaking.freeLost(leases, Duration.ofHours(1)));
        assertThat(claim(5)).isEmpty();

        await(breaking.freeLost(leases, Duration.ZERO));
        assertThat(claim.executionId()).isEqualTo(brought);
        assertThat(claim(Map.of(RESIZE, 5))).singleElement().satisfies(again -> {
            assertThat(again.claim().executionId()).isEqualTo(lost);
            assertThat(again.claim().attempt()).isEqualTo(1);
        });
        assertThat(db.number("SELECT count(*) FROM attempts")).isZero();
    }

    private static Claim pushed() {
        return await(leases.claim(Lanes.of(Lanes.lines(List.of(0), HERE)), 10, LEASE, WORKER))
                .getFirst();
    }
}
