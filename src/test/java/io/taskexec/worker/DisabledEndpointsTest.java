package io.taskexec.worker;

import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.NullNode;
import io.taskexec.model.delivery.Claim;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.endpoint.Breaker;
import io.taskexec.model.endpoint.EndpointEvent;
import io.taskexec.model.job.Failure;
import io.taskexec.store.endpoint.BreakerStore;
import io.taskexec.store.endpoint.EndpointStore;
import io.taskexec.store.endpoint.Precondition;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.NewClaim;
import io.taskexec.testing.Registrations;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import io.taskexec.worker.breaker.Breakers;
import io.taskexec.worker.breaker.Breakers.Admission;
import io.taskexec.worker.breaker.TestBreakers;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Receivers that say that they are gone. */
@StoreTest(clearJobs = false)
class DisabledEndpointsTest {
    private static final Duration BOUND = Duration.ofSeconds(10);
    private static final Outcome SUCCESS = new Outcome.Succeeded(NullNode.instance);
    private static final Outcome GONE =
            new Outcome.PermanentFailure(new Failure(Failure.Type.HTTP_ERROR, "HTTP 410 Gone", 410, ""));
    private static final Outcome NOT_FOUND =
            new Outcome.PermanentFailure(new Failure(Failure.Type.HTTP_ERROR, "HTTP 404 Not Found", 404, ""));

    @Inject
    private static TestDb db;

    private static BreakerStore store;

    private Breakers breakers;

    @BeforeAll
    static void open() {
        store = new BreakerStore(db.database());
    }

    @BeforeEach
    void clear() {
        breakers = TestBreakers.on(db.database(), TestBreakers.DEFAULT);
        db.execute("DELETE FROM endpoint_events");
        db.execute("DELETE FROM endpoints");
        db.execute("DELETE FROM endpoint_versions");
        new Rows(db).endpoint(ENDPOINT).version(2).insert();
    }

    private static Claim claim(int version) {
        return new NewClaim().version(version).claimed();
    }

    private static Admission admit(Breakers by) {
        return await(by.admit(claim(2)));
    }

    private static void attempt(Breakers by, int version, Outcome outcome) {
        by.ended((Admission.Admitted) await(by.admit(claim(version))), outcome);
    }

    private static @Nullable Breaker found() {
        return await(store.find(ENDPOINT));
    }

    private static void awaitDisabled() throws InterruptedException {
        Eventually.await("it is disabled", BOUND, () -> {
            var found = found();
            return found != null && found.state() == Breaker.State.DISABLED;
        });
    }

    private static List<EndpointEvent.Kind> events() {
        return await(store.events(ENDPOINT, 100, null)).items().stream()
                .map(EndpointEvent::kind)
                .toList();
    }

    @Test
    void aReceiverThatIsGoneDisablesItsEndpointAndWhatIsClaimedNextWaits() throws InterruptedException {
        attempt(breakers, 2, GONE);

        assertThat(admit(breakers))
                .isInstanceOfSatisfying(
                        Admission.Wait.class,
                        it -> assertThat(it.delay()).isBetween(Duration.ofSeconds(5), Duration.ofMillis(7_500)));
        awaitDisabled();
        assertThat(Objects.requireNonNull(found()).reason()).isEqualTo("its receiver answered HTTP 410 Gone");
        assertThat(events()).containsExactly(EndpointEvent.Kind.DISABLED);
        assertThat(admit(breakers)).isInstanceOf(Admission.Wait.class);
    }

    @Test
    void otherAnswersDoNot() {
        attempt(breakers, 2, NOT_FOUND);
        attempt(breakers, 2, SUCCESS);
        // Of the token server, which has nothing to do with whether the receiver is there.
        attempt(
                breakers,
                2,
                new Outcome.PermanentFailure(new Failure(Failure.Type.INVALID_CONFIGURATION, "410", 410, null)));

        assertThat(admit(breakers)).isInstanceOf(Admission.Admitted.class);
        assertThat(found()).isNull();
    }

    @Test
    void aProcessThatHasSeenNothingYetLooksFirst() {
        assertThat(await(store.disable(ENDPOINT, 2, "x"))).isTrue();

        assertThat(admit(TestBreakers.on(db.database(), TestBreakers.DEFAULT))).isInstanceOf(Admission.Wait.class);
        assertThat(admit(TestBreakers.on(db.database(), TestBreakers.OFF))).isInstanceOf(Admission.Wait.class);
    }

    @Test
    void aProcessAtWorkLearnsOfItSoon() throws InterruptedException {
        assertThat(admit(breakers)).isInstanceOf(Admission.Admitted.class);
        assertThat(await(store.disable(ENDPOINT, 2, "x"))).isTrue();

        Eventually.await("it waits", Duration.ofSeconds(5), () -> admit(breakers), Admission.Wait.class::isInstance);
    }

    @Test
    void theLongerItLastsTheLessOftenIsItLookedAt() {
        assertThat(await(store.disable(ENDPOINT, 2, "x"))).isTrue();
        db.execute("UPDATE disabled_endpoints SET disabled_at = now() - interval '1 day'");

        assertThat(admit(breakers))
                .isInstanceOfSatisfying(
                        Admission.Wait.class,
                        it -> assertThat(it.delay()).isBetween(Duration.ofSeconds(60), Duration.ofSeconds(90)));
    }

    @Test
    void onlyOneOfManyDisablesIt() {
        assertThat(await(store.disable(ENDPOINT, 2, "x"))).isTrue();
        assertThat(await(store.disable(ENDPOINT, 2, "y"))).isFalse();
        assertThat(await(store.disable("none", 1, "x"))).isFalse();

        assertThat(events()).containsExactly(EndpointEvent.Kind.DISABLED);
        assertThat(Objects.requireNonNull(found()).reason()).isEqualTo("x");
    }

    @Test
    void itIsEnabledOnceAndThenDeliversAgain() throws InterruptedException {
        assertThat(await(store.disable(ENDPOINT, 2, "x"))).isTrue();
        assertThat(admit(breakers)).isInstanceOf(Admission.Wait.class);

        assertThat(await(store.enable(ENDPOINT, "again"))).isTrue();
        assertThat(await(store.enable(ENDPOINT, "again"))).isFalse();

        Eventually.await("it is delivered to", BOUND, () -> admit(breakers), Admission.Admitted.class::isInstance);
        assertThat(found()).isNull();
        assertThat(events()).containsExactly(EndpointEvent.Kind.ENABLED, EndpointEvent.Kind.DISABLED);
    }

    @Test
    void itsBreakerIsAsItWasWhenItIsEnabled() {
        assertThat(await(store.open(ENDPOINT, BOUND, BOUND, "trouble"))).isNotNull();
        assertThat(await(store.disable(ENDPOINT, 2, "x"))).isTrue();
        assertThat(Objects.requireNonNull(found()).state()).isEqualTo(Breaker.State.DISABLED);
        assertThat(await(store.active(BOUND)))
                .extracting(BreakerStore.Active::state)
                .containsExactly(Breaker.State.DISABLED);

        assertThat(await(store.enable(ENDPOINT, "again"))).isTrue();

        assertThat(Objects.requireNonNull(found()).state()).isEqualTo(Breaker.State.OPEN);
    }

    @Test
    void aReceiverOfAnOlderVersionSaysNothingOfTheNewestOne() throws InterruptedException {
        attempt(breakers, 1, GONE);

        Eventually.await("it is delivered to", BOUND, () -> admit(breakers), Admission.Admitted.class::isInstance);
        assertThat(found()).isNull();
        assertThat(events()).isEmpty();
    }

    @Test
    void anotherVersionEndsIt() {
        assertThat(await(store.disable(ENDPOINT, 2, "x"))).isTrue();

        assertThat(await(new EndpointStore(db.database()).update(Registrations.of(ENDPOINT), Precondition.NONE)))
                .isNotNull();

        assertThat(found()).isNull();
        assertThat(await(store.events(ENDPOINT, 1, null)).items())
                .singleElement()
                .satisfies(event -> {
                    assertThat(event.kind()).isEqualTo(EndpointEvent.Kind.ENABLED);
                    assertThat(event.message()).isEqualTo("version 3 was registered");
                });
    }
}
