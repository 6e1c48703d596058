package io.taskexec.worker;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.dispatch.OpenDispatcher;
import io.taskexec.loop.LoopTimer;
import io.taskexec.model.job.Execution;
import io.taskexec.model.job.ExecutionStatus;
import io.taskexec.resolve.RealResolver;
import io.taskexec.secret.KeyRing;
import io.taskexec.secret.SecretCipher;
import io.taskexec.store.endpoint.QueueStore;
import io.taskexec.store.endpoint.SecretStore;
import io.taskexec.store.execution.ExecutionStore;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.store.wakeup.DueSignal.Work;
import io.taskexec.testing.Answer;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Received;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;
import io.taskexec.worker.breaker.TestBreakers;
import io.taskexec.worker.observe.TestObservation;
import io.taskexec.workflow.RealWorkflows;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A worker whose receiver says later how an attempt ends. Times pass by changing what is stored. */
@StoreTest
class DeferredWorkerTest {
    private static final Duration BOUND = Duration.ofSeconds(20);
    private static final SecretCipher CIPHER = new SecretCipher(KeyRing.parse(KeyRing.generate()));

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private static Receiver receiver;
    private static LoopTimer timer;

    private final DueSignal dueSignal = new DueSignal();
    private Worker worker;

    @BeforeAll
    static void open() {
        receiver = new Receiver();
        timer = new LoopTimer();
        assertThat(await(new SecretStore(db.database()).create("token", CIPHER.encrypt("token", "s3cr3t-t0k3n"))))
                .isNotNull();
        endpoint(
                "both",
                "{\"modes\": [\"callback\", \"poll\"], \"timeout\": \"PT1H\", \"heartbeat_timeout\": \"PT10S\","
                        + " \"poll\": {\"succeeded\": {\"pointer\": \"/json/state\", \"equals\": \"done\"},"
                        + " \"failed\": {\"pointer\": \"/json/state\", \"equals\": \"broken\"}}}");
        endpoint("always", "{\"modes\": [\"callback\"], \"timeout\": \"PT1H\", \"always\": true}");
        endpoint("patient", "{\"modes\": [\"callback\"], \"timeout\": \"PT1H\", \"heartbeat_timeout\": \"PT1M\"}");
    }

    private static void endpoint(String name, String completion) {
        endpoint(name, 1, completion);
    }

    private static void endpoint(String name, int attempts, String completion) {
        rows.endpoint(name)
                .url(receiver.uri("/" + name).toString())
                .header("X-Token", "{{secret.token}}")
                .secrets("token")
                .attempts(attempts, Duration.ofMillis(20))
                .insert();
        db.execute("UPDATE endpoint_versions SET completion = $2::text::json WHERE name = $1", name, completion);
    }

    @AfterAll
    static void close() {
        timer.close();
        receiver.close();
    }

    @BeforeEach
    void start() {
        receiver.clear();
        worker = worker("http://127.0.0.1:1");
        worker.start();
    }

    @AfterEach
    void stop() {
        await(worker.stop());
        db.execute("DELETE FROM queue_limits");
        db.execute("UPDATE queues SET max_concurrency = NULL");
    }

    private Worker worker(@Nullable String publicUrl) {
        var resolver = RealResolver.on(db.database(), CIPHER);
        var dispatcher = OpenDispatcher.on(TestDb.vertx());
        var pipeline = new Pipeline(
                resolver,
                TestDeliveries.of(dispatcher, resolver, db, dueSignal, publicUrl),
                Stores.recorder(db.database(), dueSignal),
                TestBreakers.on(db.database(), TestBreakers.OFF),
                new PauseGate(new QueueStore(db.database())),
                TestObservation.off(),
                RealWorkflows.on(db, dueSignal));
        var made = WorkerBed.worker(db, pipeline, new TestConfig(10, 50, Duration.ofMinutes(1), 30), dueSignal, timer);
        dueSignal.onSignal(Work.PUSHED, made::wake);
        return made;
    }

    private static void answer(String header, String location, Answer polls) {
        receiver.answer(request -> request.method().equals("GET")
                ? polls
                : Answer.of(202, "{}").with("Taskexec-Defer", header).with("Location", location));
    }

    private static Execution find(UUID id) {
        var found = await(new ExecutionStore(db.database()).find(id));
        return Objects.requireNonNull(found);
    }

    private static Execution awaited(UUID id, ExecutionStatus status) throws InterruptedException {
        return Eventually.await(id + " is " + status, BOUND, () -> find(id), found -> found.status() == status);
    }

    private UUID deferred(String endpoint) throws InterruptedException {
        var id = rows.live().endpoint(endpoint).insert();
        worker.wake();
        assertThat(awaited(id, ExecutionStatus.DEFERRED).deferral()).isNotNull();
        return id;
    }

    /**
     * As if so much time had passed, the worker looks at it. What a look before has found is recorded first, as that
     * sets when the next one is.
     */
    private void passes(UUID id, Duration time) throws InterruptedException {
        Eventually.await(
                "the look before is recorded",
                BOUND,
                () -> db.number("SELECT count(*) FROM exec_live WHERE execution_id = '%s' AND lease_token IS NOT NULL"
                                .formatted(id))
                        == 0);
        db.execute(
                "UPDATE deferrals SET deadline = deadline - $2::bigint * interval '1 millisecond',"
                        + " heard_at = heard_at - $2::bigint * interval '1 millisecond' WHERE execution_id = $1",
                id,
                time.toMillis());
        db.execute("UPDATE exec_live SET visible_at = now() WHERE execution_id = $1", id);
        worker.wake();
    }

    private static long polls() {
        return receiver.requests().stream()
                .filter(request -> request.method().equals("GET"))
                .count();
    }

    private void awaitPolls(long count) throws InterruptedException {
        Eventually.await("there are " + count + " polls", BOUND, () -> polls() >= count);
    }

    private static String errorType(Execution execution) {
        return Objects.requireNonNull(execution.error()).path("type").asText();
    }

    @Test
    void anAttemptThatIsDeferredForTooLongFails() throws Exception {
        answer("callback; timeout=600", "", Answer.of(200, "{}"));
        var id = deferred("both");

        passes(id, Duration.ofMinutes(11));

        assertThat(errorType(awaited(id, ExecutionStatus.FAILED))).isEqualTo("DEFERRAL_TIMEOUT");
    }

    @Test
    void aReceiverThatIsSilentForTooLongFails() throws Exception {
        answer("callback", "", Answer.of(200, "{}"));
        var id = deferred("both");

        passes(id, Duration.ofSeconds(11));

        assertThat(errorType(awaited(id, ExecutionStatus.FAILED))).isEqualTo("HEARTBEAT_TIMEOUT");
    }

    @Test
    void aReceiverThatWasHeardHasTime() throws Exception {
        answer("callback", "", Answer.of(200, "{}"));
        var id = deferred("patient");

        passes(id, Duration.ofSeconds(30));

        Eventually.await(
                "it was looked at",
                BOUND,
                () -> db.number("SELECT count(*) FROM exec_live"
                                + " WHERE deferred AND lease_token IS NULL AND visible_at > now() + interval '2 s'")
                        > 0);
        assertThat(find(id).status()).isEqualTo(ExecutionStatus.DEFERRED);
    }

    @Test
    void theTermsMayBeGone() throws Exception {
        answer("callback", "", Answer.of(200, "{}"));
        var id = deferred("both");
        db.execute("DELETE FROM deferrals");

        passes(id, Duration.ZERO);

        assertThat(errorType(awaited(id, ExecutionStatus.FAILED))).isEqualTo("DEFERRAL_TIMEOUT");
    }

    @Test
    void aReceiverIsPolledUntilItsConditionHolds() throws Exception {
        answer("poll; every=5", "/status?of=7", Answer.of(200, "{\"state\": \"busy\"}"));
        var id = deferred("both");

        passes(id, Duration.ZERO);
        awaitPolls(1);
        answer("poll", "/status", Answer.of(202, "{}"));
        passes(id, Duration.ZERO);
        awaitPolls(2);
        answer("poll", "/status", Answer.of(503, "{}"));
        passes(id, Duration.ZERO);
        awaitPolls(3);
        answer("poll", "/status", Answer.of(200, "{\"state\": \"done\", \"token\": \"s3cr3t-t0k3n\"}"));
        passes(id, Duration.ZERO);

        var ended = awaited(id, ExecutionStatus.SUCCESS);
        assertThat(ended.attemptCount()).isEqualTo(1);
        assertThat(String.valueOf(ended.output())).contains("done").doesNotContain("s3cr3t");
        assertThat(receiver.requests()).last().satisfies(poll -> {
            assertThat(poll.path()).isEqualTo("/status?of=7");
            assertThat(poll.header("X-Token")).isEqualTo("s3cr3t-t0k3n");
        });
    }

    @ParameterizedTest
    @CsvSource({"503, 100, 90", "429, 100, 90", "503, 1, 2"})
    void aReceiverThatAsksForALaterPollGetsItThenButNoneBeforeItsTime(int status, String retryAfter, int seconds)
            throws Exception {
        answer("poll; every=5", "/status", Answer.of(status, "{}").with("Retry-After", retryAfter));
        var id = deferred("both");

        passes(id, Duration.ZERO);

        Eventually.await(
                "the next poll is at its time",
                BOUND,
                () -> polls() >= 1
                        && db.number("SELECT count(*) FROM exec_live WHERE execution_id = '%s' AND deferred"
                                                .formatted(id)
                                        + " AND lease_token IS NULL AND visible_at > now() + interval '%d s'"
                                                .formatted(seconds))
                                > 0);
        assertThat(find(id).status()).isEqualTo(ExecutionStatus.DEFERRED);
    }

    @Test
    void aPollMaySayThatTheWorkHasFailed() throws Exception {
        answer("poll", "/status", Answer.of(200, "{\"state\": \"broken\"}"));
        var id = deferred("both");

        passes(id, Duration.ZERO);

        assertThat(errorType(awaited(id, ExecutionStatus.FAILED))).isEqualTo("RECEIVER_FAILED");
    }

    @Test
    void aPollThatIsRefusedFailsTheAttempt() throws Exception {
        answer("poll", "/status", Answer.of(404, "{}"));
        var id = deferred("both");

        passes(id, Duration.ZERO);

        assertThat(errorType(awaited(id, ExecutionStatus.FAILED))).isEqualTo("HTTP_ERROR");
    }

    @Test
    void aPollThatCannotBeMadeIsMadeLater() throws Exception {
        answer("poll", "/status", Answer.of(200, "{\"state\": \"done\"}"));
        var id = deferred("both");
        db.execute("DELETE FROM endpoint_secrets");
        db.execute("UPDATE secrets SET name = 'gone' WHERE name = 'token'");
        db.execute("UPDATE epochs SET value = value + 1 WHERE name = 'secrets'");

        passes(id, Duration.ZERO);
        Eventually.await(
                "it was looked at",
                BOUND,
                () -> db.number("SELECT count(*) FROM exec_live"
                                + " WHERE deferred AND lease_token IS NULL AND visible_at > now() + interval '10 s'")
                        > 0);
        assertThat(polls()).isZero();
        db.execute("UPDATE secrets SET name = 'token' WHERE name = 'gone'");
        db.execute("UPDATE epochs SET value = value + 1 WHERE name = 'secrets'");
        passes(id, Duration.ZERO);

        assertThat(awaited(id, ExecutionStatus.SUCCESS).attemptCount()).isEqualTo(1);
    }

    @Test
    void anotherOriginIsPolledWithoutHeaders() throws Exception {
        try (var other = new Receiver()) {
            endpoint(
                    "foreign",
                    "{\"modes\": [\"poll\"], \"timeout\": \"PT1H\", \"poll_origins\": [\"%s\"]}"
                            .formatted(other.uri("")));
            answer("poll", other.uri("/there").toString(), Answer.of(500, "{}"));
            var id = deferred("foreign");

            passes(id, Duration.ZERO);

            assertThat(awaited(id, ExecutionStatus.SUCCESS).attemptCount()).isEqualTo(1);
            assertThat(other.requests()).extracting(Received::path).containsExactly("/there");
            assertThat(other.requests().getFirst().header("X-Token")).isNull();
        }
    }

    @Test
    void aLocationWithASecretIsNotStored() throws Exception {
        answer("poll", "/status?token=s3cr3t-t0k3n", Answer.of(200, "{}"));
        var id = rows.live().endpoint("both").insert();
        worker.wake();

        assertThat(errorType(awaited(id, ExecutionStatus.FAILED))).isEqualTo("INVALID_DEFERRAL");
        assertThat(db.number("SELECT count(*) FROM deferrals WHERE execution_id = '" + id + "'"))
                .isZero();
    }

    @Test
    void anEndpointMayDeferEachDelivery() throws Exception {
        receiver.answer(Answer.of(200, "{}"));

        assertThat(find(deferred("always")).deferral())
                .satisfies(deferral -> assertThat(deferral.pollUrl()).isNull());
    }

    @Test
    void aWorkerWithoutAPublicAddressDeliversNothing() throws Exception {
        await(worker.stop());
        worker = worker(null);
        worker.start();
        var id = rows.live().endpoint("always").insert();
        worker.wake();

        assertThat(errorType(awaited(id, ExecutionStatus.FAILED))).isEqualTo("INVALID_CONFIGURATION");
        assertThat(receiver.requests()).isEmpty();
    }

    /** Fills the queue; the worker begins anew, so that it knows. */
    private UUID fillQueue() {
        var running = rows.live()
                .endpoint("both")
                .leased(UUID.randomUUID(), Duration.ofHours(1))
                .insert();
        db.execute("UPDATE exec_live SET holds_queue = true WHERE execution_id = $1", running);
        db.execute("INSERT INTO queue_limits (queue_id) VALUES (0)");
        db.execute("UPDATE queues SET max_concurrency = 1 WHERE queue_id = 0");
        db.execute("UPDATE epochs SET value = value + 1 WHERE name = 'queues'");
        await(worker.stop());
        worker = worker("http://127.0.0.1:1");
        worker.start();
        return running;
    }

    @Test
    void inAFullQueueReceiversArePolledAndAttemptsTimeOutButRetriesWaitForRoom() throws Exception {
        endpoint("again", 2, "{\"modes\": [\"callback\"], \"timeout\": \"PT1H\"}");
        answer("poll; every=5", "/status", Answer.of(202, "{}"));
        var polled = deferred("both");
        answer("callback; timeout=600", "", Answer.of(202, "{}"));
        var late = deferred("again");
        var running = fillQueue();

        passes(late, Duration.ofMinutes(11));
        Eventually.await(
                "its time is over",
                BOUND,
                () -> db.number("SELECT count(*) FROM exec_live WHERE execution_id = '%s' AND failures = 1"
                                        .formatted(late)
                                + " AND NOT deferred AND visible_at <= now()")
                        == 1);
        passes(polled, Duration.ZERO);
        awaitPolls(1);
        passes(polled, Duration.ZERO);
        awaitPolls(2);

        assertThat(find(late).attemptCount()).isEqualTo(1);
        assertThat(db.number("SELECT count(*) FROM exec_live WHERE holds_queue AND lease_token IS NOT NULL"))
                .isEqualTo(1);
        db.execute("DELETE FROM exec_live WHERE execution_id = $1", running);
        Eventually.await("there is a second attempt", BOUND, () -> find(late).attemptCount() == 2);
    }

    private UUID asked(String onTimeout) throws InterruptedException {
        rows.endpoint("told").url(receiver.uri("/told").toString()).insert();
        rows.endpoint("approval").attempts(1, Duration.ofMillis(20)).insert();
        db.execute(
                "UPDATE endpoint_versions SET endpoint_type = 'APPROVAL', spec = $1::text::json"
                        + " WHERE name = 'approval'",
                """
                {"title": "Go?", "announce": "told", "timeout": "PT1H", "remind_every": "PT10M", "on_timeout": "%s"}
                """.formatted(onTimeout));
        receiver.answer(Answer.of(200, "{}"));
        var id = rows.live().endpoint("approval").insert();
        worker.wake();
        var _ = awaited(id, ExecutionStatus.DEFERRED);
        return id;
    }

    private static long announcements() {
        return db.number("SELECT count(*) FROM jobs WHERE endpoint = 'told'");
    }

    @Test
    void aPersonIsRemindedAndAskedOnceForEachReminder() throws Exception {
        var id = asked("fail");
        assertThat(announcements()).isEqualTo(1);

        db.execute("UPDATE approvals SET remind_at = now() - interval '1 s'");
        passes(id, Duration.ZERO);
        Eventually.await("there is a reminder", BOUND, () -> announcements() == 2);
        Eventually.await("it is noted", BOUND, () -> db.number("SELECT reminders FROM approvals") == 1);
        passes(id, Duration.ofMinutes(61));

        assertThat(errorType(awaited(id, ExecutionStatus.FAILED))).isEqualTo("DEFERRAL_TIMEOUT");
        assertThat(announcements()).isEqualTo(2);
    }
}
