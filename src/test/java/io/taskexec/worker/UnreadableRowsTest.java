package io.taskexec.worker;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.mutiny.Uni;
import io.taskexec.dispatch.OpenDispatcher;
import io.taskexec.loop.LoopTimer;
import io.taskexec.resolve.RealResolver;
import io.taskexec.secret.KeyRing;
import io.taskexec.secret.SecretCipher;
import io.taskexec.store.endpoint.QueueStore;
import io.taskexec.store.endpoint.SecretStore;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.Rows;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;
import io.taskexec.worker.breaker.TestBreakers;
import io.taskexec.worker.observe.TestObservation;
import io.taskexec.workflow.RealWorkflows;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Rows that somebody or something has damaged, among others that are sound. */
class UnreadableRowsTest {
    private static final int SOUND = 5;
    private static final SecretCipher CIPHER = new SecretCipher(KeyRing.parse(KeyRing.generate()));
    private static final SecretCipher OTHER_CIPHER = new SecretCipher(KeyRing.parse(KeyRing.generate()));

    private TestDb db;
    private Rows rows;
    private Worker worker;

    private static Receiver receiver;
    private static LoopTimer timer;

    /** What each damaged execution must fail with. */
    private final Map<UUID, String> reasons = new HashMap<>();

    @BeforeAll
    static void open() {
        receiver = new Receiver();
        timer = new LoopTimer();
    }

    @AfterAll
    static void closeAll() {
        timer.close();
        receiver.close();
    }

    @BeforeEach
    void start() {
        db = TestDb.fresh();
        rows = new Rows(db);
        receiver.clear();
        endpoint("sound").insert();
        var resolver = RealResolver.on(db.database(), CIPHER);
        var pipeline = new Pipeline(
                resolver,
                TestDeliveries.of(OpenDispatcher.on(TestDb.vertx()), resolver, db),
                Stores.recorder(db.database()),
                TestBreakers.on(db.database(), TestBreakers.DEFAULT),
                new PauseGate(new QueueStore(db.database())),
                TestObservation.off(),
                RealWorkflows.on(db, new DueSignal()));
        var config = new TestConfig(50, 50, Duration.ofMinutes(1), 30);
        worker = WorkerBed.worker(db, pipeline, config, new DueSignal(), timer);
    }

    @AfterEach
    void stop() {
        await(worker.stop());
        db.close();
    }

    private Rows.Endpoint endpoint(String name) {
        return rows.endpoint(name).url(receiver.uri("/" + name).toString());
    }

    /** An execution at its last attempt of those that damage allows, so that it need not be waited for. */
    private UUID damaged(String endpoint, String reason) {
        var id = rows.live().endpoint(endpoint).failures(4).insert();
        reasons.put(id, reason);
        return id;
    }

    private void damagedSpec(String name, String change, String reason) {
        endpoint(name).insert();
        db.execute("UPDATE endpoint_versions SET " + change + " WHERE name = $1", name);
        var _ = damaged(name, "Version 1 of endpoint " + name + " cannot be read: " + reason);
    }

    private void awaitEnded(int count) {
        await(Uni.createFrom()
                .deferred(() -> db.pool().query("SELECT 1 FROM executions").execute())
                .repeat()
                .withDelay(Duration.ofMillis(5))
                .whilst(found -> found.rowCount() < count)
                .collect()
                .last());
    }

    @Test
    void eachEndsWithTheReasonWhyItCannotBeReadAndAllOthersOfTheirClaimAreDelivered() {
        db.execute("DELETE FROM jobs WHERE job_id = $1", damaged("sound", "Its job is gone."));
        db.execute(
                "UPDATE jobs SET input = '{\"a\": 1, \"a\": 2}' WHERE job_id = $1",
                damaged("sound", "The input of its job cannot be read: Duplicate field 'a'"));
        damagedSpec("policy", "retry_policy = '{\"backoff\": \"sometimes\"}'", "No enum constant");
        damagedSpec("json", "spec = '{\"url\": 1, \"url\": 2}'", "Duplicate field 'url'");
        damagedSpec("headers", "spec = '{\"timeout_ms\": 1, \"headers\": {\"A\": 1}}'", "");
        damagedSpec("template", "spec = '{\"timeout_ms\": 1, \"url\": \"{{oops\"}'", "");
        damagedSpec("timeout", "spec = '{\"timeout_ms\": -5000}'", "timeout_ms is -5000");
        damagedSpec(
                "delay",
                "retry_policy = '{\"backoff\": \"fixed\", \"initial_delay_ms\": 9000000000000000000}'",
                "initial_delay_ms is 9000000000000000000");
        rows.config("values", "{'a': 1}");
        endpoint("config").config("values").body("{'a': '{{config.a}}'}").insert();
        db.execute("UPDATE config_versions SET values_json = '{\"a\": 1, \"a\": 2}'");
        var _ = damaged("config", "Version 1 of config values cannot be read: Duplicate field 'a'");
        var secrets = new SecretStore(db.database());
        assertThat(await(secrets.create("rotten", new byte[] {1, 2, 3}))).isNotNull();
        assertThat(await(secrets.create("locked", OTHER_CIPHER.encrypt("locked", "x"))))
                .isNotNull();
        for (var secret : new String[] {"rotten", "locked"}) {
            endpoint(secret)
                    .header("Authorization", "{{secret." + secret + "}}")
                    .secrets(secret)
                    .insert();
            var _ = damaged(secret, "secret '" + secret + "' cannot be read: ");
        }
        for (var i = 0; i < SOUND; i++) {
            rows.live().endpoint("sound").insert();
        }

        worker.start();
        awaitEnded(reasons.size() + SOUND);

        assertThat(db.number("SELECT count(*) FROM executions WHERE status = 'SUCCESS'"))
                .isEqualTo(SOUND);
        assertThat(receiver.requests()).hasSize(SOUND);
        reasons.forEach((id, reason) -> {
            var row = db.row(
                    "SELECT status, error->>'type' AS type, error->>'message' AS message FROM executions"
                            + " WHERE execution_id = $1",
                    id);
            assertThat(row.getString("status")).isEqualTo("FAILED");
            assertThat(row.getString("type")).as(reason).isEqualTo("UNREADABLE");
            assertThat(row.getString("message")).startsWith(reason);
        });
        assertThat(db.number("SELECT count(*) FROM exec_live")).isZero();
        assertThat(db.number("SELECT count(*) FROM breakers")).isZero();
    }

    @Test
    void whatIsRepairedBeforeItsLastAttemptIsDelivered() {
        endpoint("late").insert();
        db.execute("UPDATE endpoint_versions SET retry_policy = '{\"backoff\": \"new\"}' WHERE name = 'late'");
        var id = rows.live().endpoint("late").insert();

        worker.start();
        await(Uni.createFrom()
                .deferred(() -> db.pool().query("SELECT 1 FROM attempts").execute())
                .repeat()
                .withDelay(Duration.ofMillis(5))
                .whilst(found -> found.rowCount() == 0)
                .collect()
                .last());
        assertThat(db.row("SELECT error->>'type' FROM attempts").getString(0)).isEqualTo("UNREADABLE");
        db.execute("UPDATE endpoint_versions SET retry_policy = '{\"backoff\": \"fixed\"}' WHERE name = 'late'");
        db.execute("UPDATE exec_live SET visible_at = now()");
        awaitEnded(1);

        assertThat(db.row("SELECT status FROM executions WHERE execution_id = $1", id)
                        .getString(0))
                .isEqualTo("SUCCESS");
    }
}
