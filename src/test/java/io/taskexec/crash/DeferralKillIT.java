package io.taskexec.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.embedded.UnsteadyServer;
import io.taskexec.testing.Answer;
import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.NeedsOwnServer;
import io.taskexec.testing.Program;
import io.taskexec.testing.Received;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerDb;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Deferred executions end by callbacks, polls and timeouts, although all processes and the database are killed. */
@NeedsOwnServer("It crashes its server.")
class DeferralKillIT {
    private static final int EACH = Integer.getInteger("taskexec.deferrals", 40);
    private static final Duration BOUND = Duration.ofMinutes(2);

    private volatile boolean done;

    @Test
    void eachDeferredExecutionEndsOnceAlthoughAllIsKilled() throws InterruptedException {
        try (var server = UnsteadyServer.start("deferral-database");
                var receiver = new Receiver()) {
            var database = ServerDb.at(server.url());
            database.execute("DROP SCHEMA public CASCADE");
            database.execute("CREATE SCHEMA public");
            var setup = Program.serving(database)
                    .with("TE_PUBLIC_URL", "http://public.invalid")
                    .with("TE_WORKER_SILENCE_SEC", "11")
                    .with("TE_RECLAIM_INTERVAL_SEC", "1");
            receiver.answer(this::answer);
            try (var one = setup.startReady();
                    var other = setup.startReady()) {
                register(one.api(), receiver);
                for (var i = 0; i < EACH; i++) {
                    create(one.api(), "called", i);
                    create(other.api(), "polled", i);
                    create(one.api(), "silent", i);
                }
                // Of the last ones the answer is not recorded yet, or is about to be.
                var _ = receiver.awaitCount(3 * EACH - 2, BOUND);
                one.kill();
                other.kill();
                server.crash();
            }
            server.startAgain();
            done = true;
            try (var late = setup.startReady()) {
                Eventually.await("all have ended", BOUND, () -> {
                    callBack(late.api(), firstDeliveries(receiver.requests()));
                    return database.number("SELECT count(*) FROM exec_live") == 0;
                });
                check(late.api(), database, receiver.requests());
                callBack(late.api(), firstDeliveries(receiver.requests()));
                Check.findsNothing(setup);
            }
        }
    }

    private static void register(Api api, Receiver receiver) {
        for (var name : List.of("called", "polled", "silent")) {
            var _ = api.create("/endpoints", """
                    {"name": "%s", "type": "HTTP", "completion": {"modes": ["callback", "poll"]},
                      "retry_policy": {"max_attempts": 1}, "spec": {"url": "%s", "method": "POST"}}
                    """.formatted(name, receiver.uri("/" + name)));
        }
    }

    private static void create(Api api, String endpoint, int number) {
        var _ = api.create("/jobs", """
                {"endpoint": "%s", "trigger": "IMMEDIATE", "idempotency_key": "key-%d"}
                """.formatted(endpoint, number));
    }

    private Answer answer(Received request) {
        if (request.method().equals("GET")) {
            return Answer.of(done ? 200 : 202, "{}");
        }
        return switch (request.path()) {
            case "/called" -> Answer.of(202, "{}").with("Taskexec-Defer", "callback");
            case "/silent" -> Answer.of(202, "{}").with("Taskexec-Defer", "callback; timeout=15");
            default ->
                Answer.of(202, "{}").with("Taskexec-Defer", "poll; every=5").with("Location", "/status");
        };
    }

    /** The first delivery of each execution that is to be called back. */
    private static List<Received> firstDeliveries(List<Received> requests) {
        var first = requests.stream()
                .filter(request -> request.path().equals("/called"))
                .collect(Collectors.toMap(
                        request -> String.valueOf(request.header("Idempotency-Key")), it -> it, (one, _) -> one));
        return new ArrayList<>(first.values());
    }

    /** Whatever came of the answer: the attempt has not failed. */
    private static void callBack(Api api, List<Received> deliveries) {
        for (var delivery : deliveries) {
            var path = URI.create(String.valueOf(delivery.header("Taskexec-Callback-Url")))
                    .getPath();
            var answer = api.bare()
                    .body("{\"status\": \"succeeded\", \"output\": {\"of\": \"%s\"}}"
                            .formatted(delivery.header("Idempotency-Key")))
                    .post(path);
            assertThat(answer.statusCode()).as(answer.asString()).isEqualTo(200);
        }
    }

    private static void check(Api api, ServerDb database, List<Received> requests) {
        assertThat(requests.stream()
                        .filter(request -> request.method().equals("POST"))
                        .map(request -> request.header("Idempotency-Key") + " " + request.header("Taskexec-Attempt"))
                        .toList())
                .doesNotHaveDuplicates();
        var ends = Map.of("called", "SUCCESS", "polled", "SUCCESS", "silent", "FAILED");
        ends.forEach((endpoint, status) -> assertThat(database.number("""
                        SELECT count(*) FROM executions x JOIN jobs j ON j.job_id = x.job_id
                        WHERE j.endpoint = '%s' AND x.status = '%s'
                        """.formatted(endpoint, status)))
                .as(endpoint)
                .isEqualTo(EACH));
        assertThat(database.number("SELECT count(*) FROM executions WHERE error ->> 'type' = 'DEFERRAL_TIMEOUT'"))
                .isEqualTo(EACH);
        assertThat(api.read("/executions?status=SUCCESS&endpoint=called").getString("items[0].output.json.of"))
                .startsWith("exec_");
    }
}
