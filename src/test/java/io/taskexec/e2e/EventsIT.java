package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.restassured.response.Response;
import io.taskexec.testing.Answer;
import io.taskexec.testing.Api;
import io.taskexec.testing.EventClient;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.KafkaBroker;
import io.taskexec.testing.Program;
import io.taskexec.testing.PublishedEvents;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerDb;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Two processes, of which the first is killed while it works, publishes and serves those who follow. */
class EventsIT {
    private static final int JOBS = 40;
    private static final Duration BOUND = Duration.ofSeconds(40);
    private static final String FOLLOWED = "?endpoint=followed";

    private final ServerDb database = ServerDb.fresh(EventsIT.class);
    private final KafkaBroker broker = KafkaBroker.shared();

    @Test
    void neitherWhoFollowsNorTheTopicMissesAnythingWhenAProcessIsKilled() throws InterruptedException, IOException {
        var topic = broker.topic("lifecycle", 2, Map.of());
        var setup = Program.serving(database)
                .with("TE_EVENTS_ENABLED", "true")
                // Nothing is logged of the death of a worker before the end of the test.
                .with("TE_WORKER_SILENCE_SEC", "600")
                .with("TE_REGION_SILENCE_SEC", "600")
                .with("TE_EVENTS_KAFKA_TOPIC", topic)
                .with("TE_EVENTS_KAFKA_BOOTSTRAP_SERVERS", broker.bootstrap());
        try (var receiver = new Receiver();
                var doomed = setup.startReady();
                var survivor = setup.startReady()) {
            receiver.answer(request -> Answer.of(request.body().contains("fails") ? 400 : 200, "{}"));
            doomed.api().endpoint("followed", receiver.uri("/"), Map.of("max_attempts", 1));
            var seen = new ArrayList<EventClient.Event>();
            String last;
            String worker;
            try (var client = EventClient.of(doomed.api(), FOLLOWED, Map.of())) {
                assertThat(client.status()).isEqualTo(200);
                create(doomed.api(), "before-");
                seen.addAll(client.await(JOBS));
                worker = database.texts("SELECT worker_id FROM workers ORDER BY started_at LIMIT 1")
                        .getFirst();
                doomed.kill();
                freeWork(worker);
                Eventually.await("the end of the stream", BOUND, client::hasEnded);
                seen.clear();
                seen.addAll(client.events());
                last = client.lastId();
            }
            checkAnswers(survivor.api());
            create(survivor.api(), "after-");
            database.execute("UPDATE event_positions SET owned_until = now() WHERE name LIKE 'kafka:%'");

            try (var client = EventClient.of(survivor.api(), FOLLOWED, Map.of("Last-Event-ID", last))) {
                Eventually.await("everything has ended", BOUND, () -> {
                    // The database may have gone on with a claim of the process after that was killed.
                    freeWork(worker);
                    return ended(client.events()) + ended(seen) == 2 * JOBS;
                });
                seen.addAll(client.events());
                checkOrder(seen);
                var all = database.texts("SELECT position FROM event_log");
                assertThat(seen).extracting(EventClient.Event::id).containsExactlyInAnyOrderElementsOf(all);
                checkTopic(topic, all);

                survivor.terminate();
                Eventually.await("the end of the stream", BOUND, client::hasEnded);
            }
            assertThat(survivor.awaitExit()).isIn(0, Program.SIGTERM);
            assertThat(survivor.output()).doesNotContain("ERROR", "WARN");
        }
    }

    /** As if the time had passed after which a worker is taken for dead. */
    private void freeWork(String worker) {
        database.execute("UPDATE exec_live SET visible_at = now() WHERE worker_id = '" + worker
                + "' AND lease_token IS NOT NULL AND visible_at > now()");
    }

    /** Errors are JSON though events are asked for; a client may go at any time. */
    private static void checkAnswers(Api api) throws InterruptedException {
        try (var stranger = new EventClient(api.uri("/events"), Map.of());
                var mistaken = EventClient.of(api, "?type=failed", Map.of());
                var lost = EventClient.of(api, "", Map.of("Last-Event-ID", "999999999"));
                var brief = EventClient.of(api, FOLLOWED, Map.of("X-Request-Id", "brief-1"))) {
            assertThat(stranger.status()).isEqualTo(401);
            assertThat(stranger.header("Content-Type")).startsWith("application/json");
            assertThat(stranger.body()).contains("\"UNAUTHORIZED\"");
            assertThat(mistaken.status()).isEqualTo(400);
            assertThat(mistaken.body()).contains("\"INVALID_REQUEST\"");
            assertThat(lost.status()).isEqualTo(410);
            assertThat(lost.body()).contains("\"EVENTS_GONE\"");
            assertThat(brief.status()).isEqualTo(200);
            assertThat(brief.header("X-Request-Id")).isEqualTo("brief-1");
            for (var name : List.of("Content-Type", "Cache-Control", "X-Accel-Buffering", "X-Request-Id")) {
                assertThat(head(api, "").header(name)).as(name).isEqualTo(brief.header(name));
            }
        }
        assertThat(head(api, "").statusCode()).isEqualTo(200);
        assertThat(head(api, "").asByteArray()).isEmpty();
        assertThat(head(api, "?type=failed").statusCode()).isEqualTo(400);
        assertThat(head(api, "?last_event_id=999999999").statusCode()).isEqualTo(410);
    }

    private static Response head(Api api, String query) {
        return api.request().header("X-Request-Id", "brief-1").head("/events" + query);
    }

    private static void create(Api api, String prefix) {
        for (var n = 0; n < JOBS; n++) {
            var _ = api.immediate("followed", prefix + (n % 4 == 0 ? "fails-" : "") + n);
        }
    }

    private static long ended(List<EventClient.Event> events) {
        return events.stream()
                .filter(event ->
                        event.type().endsWith("succeeded") || event.type().endsWith("failed"))
                .count();
    }

    /** What follows what in the life of an execution, lost attempts included. */
    private static void checkOrder(List<EventClient.Event> events) {
        var lives = events.stream()
                .collect(Collectors.groupingBy(
                        event -> event.data().get("subject").textValue(),
                        HashMap::new,
                        Collectors.mapping(event -> event.type().replaceFirst(".*\\.", ""), Collectors.joining(" "))));
        assertThat(lives).hasSize(2 * JOBS);
        assertThat(lives.values())
                .allMatch(life -> life.matches("created( started)+( lost( started)+)*( succeeded| failed)"));
        assertThat(lives.values().stream().filter(life -> life.endsWith("failed")))
                .hasSize(JOBS / 2);
    }

    private void checkTopic(String topic, List<String> all) throws InterruptedException {
        Eventually.await(
                "all is published",
                BOUND,
                () -> database.number("SELECT count(*) FROM event_positions p WHERE name LIKE 'kafka:%' AND position ="
                                + " (SELECT position FROM event_positions WHERE name = 'log')")
                        == 1);
        assertThat(PublishedEvents.of(broker, topic, all.size()).keySet())
                .containsExactlyInAnyOrderElementsOf(
                        all.stream().map(Long::valueOf).toList());
    }
}
