package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.restassured.response.Response;
import io.taskexec.testing.Answer;
import io.taskexec.testing.Api;
import io.taskexec.testing.EventClient;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Program;
import io.taskexec.testing.Received;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerDb;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Operators see what becomes of deferred executions, and cancel many at once. */
@ServerTest(
        env = {"TE_EVENTS_ENABLED=true", "TE_PUBLIC_URL=http://public.invalid"},
        own = "It looks at the metrics of its program.")
class DeferralEffectsIT {
    private static final Duration BOUND = Duration.ofSeconds(30);
    private static final AtomicInteger NAMES = new AtomicInteger();

    @Inject
    private static Receiver receiver;

    @Inject
    private static Api api;

    @Inject
    private static Program program;

    @Inject
    private static ServerDb db;

    @BeforeEach
    void defer() {
        receiver.clear();
        receiver.answer(_ -> Answer.of(202, "{}").with("Taskexec-Defer", "callback"));
    }

    private static String endpoint(String completion) {
        var name = "seen-" + NAMES.incrementAndGet();
        var _ = api.create("/endpoints", """
                {"name": "%s", "type": "HTTP", "completion": %s, "retry_policy": {"max_attempts": 1},
                  "spec": {"url": "%s", "method": "POST"}}
                """.formatted(name, completion, receiver.uri("/" + name)));
        return name;
    }

    private static String start(String endpoint) {
        return api.immediate(endpoint, "key-" + NAMES.incrementAndGet());
    }

    private static Response callBack(Received delivery, String body) {
        var url = String.valueOf(delivery.header("Taskexec-Callback-Url"));
        return api.bare().body(body).post(url.substring("http://public.invalid".length()));
    }

    /** The value of a counter, whose labels are written as Prometheus gets them. */
    private static double count(String sample) {
        try {
            var text = program.manage("/q/metrics", "text/plain; version=0.0.4").body();
            var found = Pattern.compile("^" + Pattern.quote(sample) + " (\\S+)$", Pattern.MULTILINE)
                    .matcher(text);
            assertThat(found.find()).as(sample).isTrue();
            return Double.parseDouble(found.group(1));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aDeferralIsAnEventAndIsCountedWithItsCallbacks() throws Exception {
        var deferred = count("taskexec_deferred_total");
        var accepted = count("taskexec_callbacks_total{result=\"accepted\",}");
        var refused = count("taskexec_callbacks_total{result=\"refused\",}");
        var endpoint = endpoint("{\"modes\": [\"callback\"]}");

        try (var events = EventClient.of(api, "?type=io.taskexec.execution.deferred", Map.of())) {
            var id = start(endpoint);
            var data = events.await(1).getFirst().data();
            assertThat(data.path("subject").asText()).isEqualTo(id);
            assertThat(data.at("/data/status").asText()).isEqualTo("DEFERRED");
            assertThat(data.at("/data/attempt").asInt()).isEqualTo(1);
            assertThat(data.at("/data/endpoint").asText()).isEqualTo(endpoint);
        }
        Eventually.await("it is counted", BOUND, () -> count("taskexec_deferred_total") == deferred + 1);

        var delivery = receiver.requests().getFirst();
        assertThat(callBack(delivery, "{\"status\": \"heartbeat\"}").statusCode())
                .isEqualTo(200);
        assertThat(callBack(delivery, "{\"status\": \"succeeded\"}").statusCode())
                .isEqualTo(200);
        assertThat(callBack(delivery, "{\"status\": \"succeeded\", \"output\": 1}")
                        .statusCode())
                .isEqualTo(409);
        assertThat(count("taskexec_callbacks_total{result=\"accepted\",}")).isEqualTo(accepted + 2);
        assertThat(count("taskexec_callbacks_total{result=\"refused\",}")).isEqualTo(refused + 1);
    }

    private static double polls(String result) {
        return count("taskexec_polls_total{result=\"%s\",}".formatted(result));
    }

    @Test
    void pollsAreCountedByTheirAnswers() throws Exception {
        var answers = Map.of(
                "/pending", Answer.of(202, "{}"),
                "/unanswered", Answer.of(503, "{}"),
                "/failed", Answer.of(404, "{}"),
                "/success", Answer.of(200, "{}"));
        receiver.answer(request -> answers.getOrDefault(
                request.path(),
                Answer.of(202, "{}")
                        .with("Taskexec-Defer", "poll; every=5")
                        .with("Location", String.valueOf(request.header("X-Status")))));

        for (var path : answers.keySet()) {
            var _ = api.create("/endpoints", """
                    {"name": "polled-%1$s", "type": "HTTP", "completion": {"modes": ["poll"]},
                      "spec": {"url": "%2$s", "method": "POST", "headers": {"X-Status": "/%1$s"}}}
                    """.formatted(path.substring(1), receiver.uri("/work")));
            var _ = start("polled-" + path.substring(1));
        }

        Eventually.await(
                "each answer has been counted",
                BOUND,
                () -> polls("pending") >= 1
                        && polls("unanswered") >= 1
                        && polls("failed") == 1
                        && polls("success") == 1);
    }

    @Test
    void allThatAreDeferredAreCancelledAtOnce() throws Exception {
        var endpoint = endpoint("{\"modes\": [\"callback\"]}");
        var ids = IntStream.range(0, 3).mapToObj(_ -> start(endpoint)).toList();
        for (var id : ids) {
            var _ = api.awaitStatus(id, "DEFERRED");
        }
        var other = start(endpoint("{\"modes\": [\"callback\"]}"));
        var _ = api.awaitStatus(other, "DEFERRED");

        var operation = api.create("/executions/bulk", """
                {"action": "cancel", "filter": {"status": "DEFERRED", "endpoint": "%s"}}
                """.formatted(endpoint));
        var ended = Eventually.await(
                "the operation has ended",
                BOUND,
                () -> api.read("/operations/" + operation.getString("operation_id")),
                seen -> !seen.getString("status").equals("RUNNING"));

        assertThat(ended.getString("status")).isEqualTo("SUCCEEDED");
        assertThat(ended.getInt("done")).isEqualTo(3);
        for (var id : ids) {
            assertThat(api.read("/executions/" + id).getString("status")).isEqualTo("CANCELLED");
        }
        assertThat(api.read("/executions/" + other).getString("status")).isEqualTo("DEFERRED");
    }

    @Test
    void aHeartbeatMovesTheTimeAtWhichItsReceiverIsTakenToBeDead() throws Exception {
        var id = start(endpoint("{\"modes\": [\"callback\"], \"heartbeat_timeout\": \"PT10S\"}"));
        var _ = api.awaitStatus(id, "DEFERRED");
        var delivery = receiver.requests().getFirst();

        Eventually.await("it is kept alive for longer than a receiver may be silent", BOUND, () -> {
            var status = callBack(delivery, "{\"status\": \"heartbeat\"}").statusCode();
            assertThat(status).isIn(200, 429);
            return db.number("SELECT count(*) FROM deferrals WHERE heartbeat_ms IS NOT NULL"
                            + " AND since < now() - interval '12 seconds'")
                    > 0;
        });
        assertThat(api.read("/executions/" + id).getString("status")).isEqualTo("DEFERRED");

        var ended = api.awaitStatus(id, "FAILED");
        assertThat(ended.getString("error.type")).isEqualTo("HEARTBEAT_TIMEOUT");
        assertThat(callBack(delivery, "{\"status\": \"heartbeat\"}").statusCode())
                .isEqualTo(409);
    }
}
