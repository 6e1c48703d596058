package io.taskexec.worker.breaker;

import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.TestDb.await;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.NullNode;
import io.taskexec.model.delivery.Claim;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.endpoint.Breaker;
import io.taskexec.model.endpoint.EndpointEvent;
import io.taskexec.model.job.Failure;
import io.taskexec.store.endpoint.BreakerStore;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.NewClaim;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import io.taskexec.worker.breaker.Breakers.Admission;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@StoreTest(clearJobs = false)
class BreakersTest {
    private static final Duration BOUND = Duration.ofSeconds(10);
    private static final TestBreakers CONFIG = new TestBreakers(50, 4, 30, 30);
    private static final Instant SINCE = Instant.EPOCH;
    private static final Outcome SUCCESS = new Outcome.Succeeded(NullNode.instance);
    private static final Outcome REFUSED =
            new Outcome.RetryableFailure(new Failure(Failure.Type.CONNECTION_ERROR, "refused"), null);
    private static final Outcome NOT_FOUND = new Outcome.PermanentFailure(new Failure(Failure.Type.HTTP_ERROR, "404"));
    private static final Outcome TOO_LARGE =
            new Outcome.PermanentFailure(new Failure(Failure.Type.BROKER_ERROR, "too large"));
    private static final Outcome WRONG_TYPE =
            new Outcome.PermanentFailure(new Failure(Failure.Type.STREAM_ERROR, "WRONGTYPE"));
    private static final Outcome OURS =
            new Outcome.RetryableFailure(new Failure(Failure.Type.INTERNAL_ERROR, "bug"), null);
    private static final Outcome UNSET =
            new Outcome.RetryableFailure(new Failure(Failure.Type.INVALID_CONFIGURATION, "no TE_PUBLIC_URL"), null);
    private static final Outcome UNCHECKED =
            new Outcome.RetryableFailure(new Failure(Failure.Type.INPUT_VALIDATION_FAILED, "no time"), null);

    @Inject
    private static TestDb db;

    private static BreakerStore store;

    private Breakers breakers;

    @BeforeAll
    static void open() {
        new Rows(db).endpoint(ENDPOINT).insert();
        store = new BreakerStore(db.database());
    }

    @BeforeEach
    void clear() {
        breakers = TestBreakers.on(db.database(), CONFIG);
        db.execute("DELETE FROM breakers");
        db.execute("DELETE FROM endpoint_events");
    }

    private static Claim claim() {
        return claim(ENDPOINT);
    }

    private static Claim claim(String endpoint) {
        return new NewClaim().endpoint(endpoint).claimed();
    }

    private static Admission admit(Breakers by) {
        return await(by.admit(claim()));
    }

    @Test
    void onlyOriginsThatAreIdleAreForgotten() {
        var muchLater = System.nanoTime() + Duration.ofMinutes(5).toNanos();
        for (var n = 0; n < 50; n++) {
            var admitted = await(breakers.admit(claim("_target:https://" + n + ".example.org:443")));
            breakers.ended((Admission.Admitted) admitted, SUCCESS);
        }
        var running = await(breakers.admit(claim("_target:https://running.example.org:443")));

        assertThat(breakers.forgetIdle(System.nanoTime())).isEqualTo(51);
        assertThat(breakers.forgetIdle(muchLater)).isEqualTo(1);

        breakers.ended((Admission.Admitted) running, SUCCESS);
        assertThat(breakers.forgetIdle(System.nanoTime() + Duration.ofMinutes(5).toNanos()))
                .isZero();
    }

    @Test
    void withoutAPercentageNothingEverOpens() {
        var attempts = new EndpointAttempts(ENDPOINT, 1, TestBreakers.OFF);
        for (var i = 0; i < 100; i++) {
            assertThat(attempts.add(true, i)).isFalse();
        }
    }

    /** Makes attempts that end like this, as far as they are admitted. */
    private static void attempt(Breakers by, Outcome... outcomes) {
        for (var outcome : outcomes) {
            if (admit(by) instanceof Admission.Admitted admitted) {
                by.ended(admitted, outcome);
            }
        }
    }

    private static void awaitState(Breaker.State state) throws InterruptedException {
        Eventually.await("the state " + state, BOUND, () -> {
            @Nullable Breaker found = await(store.find(ENDPOINT));
            return found != null && found.state() == state;
        });
    }

    private static void awaitWait(Breakers by) throws InterruptedException {
        Eventually.await("it waits", BOUND, () -> admit(by), Admission.Wait.class::isInstance);
    }

    /** As if the time of waiting had passed. */
    private static void letTimePass() {
        db.execute(
                "UPDATE breakers SET retry_at = now() - interval '1 second', changed_at = now() - interval '1 minute'");
    }

    private static List<EndpointEvent.Kind> events() {
        return await(store.events(ENDPOINT, 100, null)).items().stream()
                .map(EndpointEvent::kind)
                .toList();
    }

    @Test
    void itOpensWhenTooManyOfEnoughAttemptsFailAndWhatIsClaimedThenWaits() throws InterruptedException {
        attempt(breakers, REFUSED, REFUSED, REFUSED);
        assertThat(await(store.find(ENDPOINT))).isNull();

        attempt(breakers, REFUSED);

        awaitState(Breaker.State.OPEN);
        awaitWait(breakers);
        var wait = (Admission.Wait) admit(breakers);
        assertThat(wait.delay()).isBetween(Duration.ofSeconds(20), Duration.ofSeconds(45));
        assertThat(events()).containsExactly(EndpointEvent.Kind.BREAKER_OPEN);
        assertThat(requireNonNull(await(store.find(ENDPOINT))).reason())
                .isEqualTo("4 of 4 attempts failed within 30 s");
    }

    @Test
    void anotherProcessSeesItToo() throws InterruptedException {
        attempt(breakers, REFUSED, REFUSED, REFUSED, REFUSED);
        awaitState(Breaker.State.OPEN);

        awaitWait(TestBreakers.on(db.database(), CONFIG));
    }

    @Test
    void answersThatSayTheReceiverIsWellAndFaultsOfOursDoNotOpenIt() throws InterruptedException {
        attempt(breakers, SUCCESS, NOT_FOUND, TOO_LARGE, WRONG_TYPE, WRONG_TYPE, WRONG_TYPE, REFUSED, REFUSED);
        attempt(
                breakers,
                OURS,
                OURS,
                UNSET,
                UNSET,
                UNCHECKED,
                UNCHECKED,
                new Outcome.Interrupted(),
                new Outcome.LeaseLost(),
                REFUSED);
        // Now half of what counts has failed: had it opened before, that would say another reason.
        attempt(breakers, REFUSED, REFUSED, REFUSED);

        awaitState(Breaker.State.OPEN);
        assertThat(requireNonNull(await(store.find(ENDPOINT))).reason())
                .isEqualTo("6 of 12 attempts failed within 30 s");
    }

    /** Lets the breaker open, and then makes the first probe, with this outcome. */
    private void probeAfterFailures(Outcome outcome) throws InterruptedException {
        attempt(breakers, REFUSED, REFUSED, REFUSED, REFUSED);
        awaitState(Breaker.State.OPEN);
        // What is admitted before this process has seen it is no probe.
        awaitWait(breakers);
        letTimePass();
        probe(outcome);
    }

    private void probe(Outcome outcome) throws InterruptedException {
        Eventually.await("a probe", BOUND, () -> admit(breakers), admission -> {
            if (admission instanceof Admission.Admitted admitted) {
                breakers.ended(admitted, outcome);
                return true;
            }
            return false;
        });
    }

    @Test
    void afterItsTimeOneProcessTriesThreeAndItClosesWhenAllSucceed() throws InterruptedException {
        probeAfterFailures(SUCCESS);

        awaitState(Breaker.State.HALF_OPEN);
        attempt(breakers, SUCCESS);
        assertThat(requireNonNull(await(store.find(ENDPOINT))).state()).isEqualTo(Breaker.State.HALF_OPEN);
        attempt(breakers, SUCCESS);

        awaitState(Breaker.State.CLOSED);
        assertThat(requireNonNull(await(store.find(ENDPOINT))).reason())
                .isEqualTo("the deliveries that were tried succeeded");
        assertThat(events())
                .containsExactly(
                        EndpointEvent.Kind.BREAKER_CLOSED,
                        EndpointEvent.Kind.BREAKER_HALF_OPEN,
                        EndpointEvent.Kind.BREAKER_OPEN);
    }

    @Test
    void whatIsNotAmongTheProbesIsLookedAtAgainSoon() throws InterruptedException {
        db.execute(
                "INSERT INTO breakers VALUES ($1, 'HALF_OPEN', 1, now(), now() + interval '1 minute', 'x')", ENDPOINT);

        awaitWait(breakers);

        var wait = (Admission.Wait) admit(breakers);
        assertThat(wait.delay()).isBetween(Duration.ofSeconds(5), Duration.ofMillis(7_500));
    }

    @Test
    void itOpensAgainForTwiceAsLongWhenAProbeFails() throws InterruptedException {
        probeAfterFailures(REFUSED);

        Eventually.await(
                "it is open again",
                BOUND,
                () -> db.number("SELECT count(*) FROM breakers WHERE state = 'OPEN' AND openings = 2"
                        + " AND retry_at > now() + interval '50 seconds'"),
                count -> count == 1);
    }

    /** Of a receiver that is away for a week it has opened more than a thousand times. */
    @ParameterizedTest
    @ValueSource(ints = {9, 1_100})
    void itIsOpenForTenMinutesAtMost(int openings) throws InterruptedException {
        db.execute(
                "INSERT INTO breakers VALUES"
                        + " ($1, 'OPEN', $2, now() - interval '1 hour', now() - interval '1 second', 'x')",
                ENDPOINT,
                openings);
        probe(REFUSED);

        Eventually.await(
                "it is open again",
                BOUND,
                () -> db.number(
                                "SELECT count(*) FROM breakers WHERE state = 'OPEN' AND openings = $1::int + 1",
                                openings)
                        == 1);
        assertThat(db.number("SELECT extract(epoch FROM retry_at - changed_at)::bigint FROM breakers"))
                .isEqualTo(600);
    }

    @Test
    void aProbeThatTellsNothingLeavesNoneToMakeAfterAnotherOneHasFailed() throws InterruptedException {
        db.execute(
                "INSERT INTO breakers VALUES"
                        + " ($1, 'OPEN', 1, now() - interval '1 minute', now() - interval '1 second', 'x')",
                ENDPOINT);
        var probes = new ArrayList<Admission.Admitted>();
        Eventually.await("two probes", BOUND, () -> admit(breakers), admission -> {
            if (admission instanceof Admission.Admitted admitted) {
                probes.add(admitted);
            }
            return probes.size() == 2;
        });

        breakers.ended(probes.getFirst(), REFUSED);
        breakers.ended(probes.getLast(), new Outcome.LeaseLost());

        assertThat(admit(breakers)).isInstanceOf(Admission.Wait.class);
        awaitState(Breaker.State.OPEN);
    }

    @Test
    void whatIsLeftOfProbesEndsWhenTheBreakerOpensAgain() {
        var attempts = new EndpointAttempts(ENDPOINT, 1, CONFIG);
        attempts.grantProbes(1_000, SINCE);

        assertThat(attempts.takeProbe(0)).isNotNull();
        assertThat(attempts.takeProbe(2_000)).isNull();

        attempts.grantProbes(3_000, SINCE.plusSeconds(1));
        for (var i = 0; i < 3; i++) {
            assertThat(attempts.takeProbe(2_000)).isNotNull();
        }
        assertThat(attempts.takeProbe(2_000)).isNull();
    }

    @Test
    void probesThatTakeLongerThanTheRightToMakeThemCount() {
        var attempts = new EndpointAttempts(ENDPOINT, 1, CONFIG);
        attempts.grantProbes(1_000, SINCE);
        var first = requireNonNull(attempts.takeProbe(0));
        var second = requireNonNull(attempts.takeProbe(0));

        attempts.grantProbes(61_000, SINCE);
        var third = requireNonNull(attempts.takeProbe(0));

        assertThat(attempts.isEnough(first)).isFalse();
        assertThat(attempts.isEnough(second)).isFalse();
        assertThat(attempts.isEnough(third)).isTrue();
        assertThat(attempts.takeProbe(0)).isNull();
    }

    @Test
    void onlyOneOfManyMayProbeAndAnotherOneOnceItsPatienceIsOver() {
        assertThat(await(store.open(ENDPOINT, Duration.ZERO, Duration.ofMinutes(10), "x")))
                .isNotNull();
        var minute = Duration.ofMinutes(1);

        assertThat(await(store.probe(ENDPOINT, minute))).isNotNull();
        assertThat(await(store.probe(ENDPOINT, minute))).isNull();
        letTimePass();
        var since = requireNonNull(await(store.probe(ENDPOINT, minute)));
        assertThat(await(store.close(ENDPOINT, since))).isTrue();
        assertThat(await(store.close(ENDPOINT, since))).isFalse();
        assertThat(await(store.probe(ENDPOINT, Duration.ZERO))).isNull();
    }

    /** Another process closes it, and this one sees that: it says so by letting one call begin, or wait for a while. */
    private void closeElsewhere() throws InterruptedException {
        db.execute("UPDATE breakers SET state = 'CLOSED', changed_at = now(), reason = 'x'");
        Eventually.await("it starts slowly", BOUND, () -> admit(breakers), admission -> switch (admission) {
            case Admission.Wait(var delay) -> delay.compareTo(Duration.ofSeconds(1)) < 0;
            case Admission.Admitted admitted -> {
                breakers.ended(admitted, new Outcome.LeaseLost());
                yield admitted.probe() == null;
            }
            case Admission.Park() -> false;
        });
    }

    private static List<String> openings() {
        return await(store.events(ENDPOINT, 100, null)).items().stream()
                .filter(event -> event.kind() == EndpointEvent.Kind.BREAKER_OPEN)
                .map(EndpointEvent::message)
                .toList();
    }

    @Test
    void attemptsFromBeforeItOpenedDoNotOpenItAfterAnotherProcessHasClosedIt() throws InterruptedException {
        var slow = Stream.generate(() -> (Admission.Admitted) admit(breakers))
                .limit(4)
                .toList();
        attempt(breakers, REFUSED, REFUSED, REFUSED, REFUSED);
        awaitState(Breaker.State.OPEN);
        Eventually.await("it waits", BOUND, () -> admit(breakers), admission -> {
            if (admission instanceof Admission.Admitted early) {
                breakers.ended(early, new Outcome.LeaseLost());
            }
            return admission instanceof Admission.Wait;
        });
        breakers.ended(slow.getFirst(), REFUSED);

        closeElsewhere();
        slow.stream().skip(1).forEach(admitted -> breakers.ended(admitted, REFUSED));
        attempt(breakers, SUCCESS, SUCCESS, REFUSED, REFUSED);

        awaitState(Breaker.State.OPEN);
        assertThat(openings())
                .containsExactly("2 of 4 attempts failed within 30 s", "4 of 4 attempts failed within 30 s");
    }

    @Test
    void aProbeThatFailsAfterAnotherProcessHasClosedItDoesNotOpenIt() throws InterruptedException {
        db.execute(
                "INSERT INTO breakers VALUES"
                        + " ($1, 'OPEN', 1, now() - interval '1 minute', now() - interval '1 second', 'x')",
                ENDPOINT);
        var slow = (Admission.Admitted)
                Eventually.await("a probe", BOUND, () -> admit(breakers), Admission.Admitted.class::isInstance);

        closeElsewhere();
        breakers.ended(slow, REFUSED);
        attempt(breakers, SUCCESS, SUCCESS, REFUSED, REFUSED);

        awaitState(Breaker.State.OPEN);
        assertThat(openings()).containsExactly("2 of 4 attempts failed within 30 s");
    }

    @Test
    void itOpensAgainAtOnceWhenCallsFailAfterItHasClosed() throws InterruptedException {
        db.execute("INSERT INTO breakers VALUES ($1, 'CLOSED', 1, now() - interval '2 seconds', now(), 'x')", ENDPOINT);

        attempt(breakers, REFUSED, REFUSED, REFUSED, REFUSED);

        awaitState(Breaker.State.OPEN);
    }

    /** Looks how many of ten calls a process that sees the breaker for the first time makes at once. */
    private static void assertAdmittedAtOnce(int secondsAfterItHasClosed) {
        db.execute("DELETE FROM breakers");
        db.execute(
                "INSERT INTO breakers VALUES" + " ($1, 'CLOSED', 1, now() - $2::int * interval '1 second', now(), 'x')",
                ENDPOINT,
                secondsAfterItHasClosed);
        var process = TestBreakers.on(db.database(), CONFIG);
        var admitted = Stream.generate(() -> admit(process))
                .limit(10)
                .filter(Admission.Admitted.class::isInstance)
                .count();
        // On a busy machine a second may have passed meanwhile.
        var secondsNow =
                db.number("SELECT floor(extract(epoch FROM clock_timestamp() - changed_at))::bigint FROM breakers");
        assertThat(admitted).isBetween(Math.min(1L << secondsAfterItHasClosed, 10), Math.min(1L << secondsNow, 10));
    }

    @Test
    void afterItHasClosedTheReceiverGetsOneCallAtATimeAndTwiceAsManyWithEverySecond() {
        for (var seconds : new int[] {0, 1, 2, 11}) {
            assertAdmittedAtOnce(seconds);
        }
    }
}
