package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.restassured.path.json.JsonPath;
import io.taskexec.testing.Answer;
import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Program;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerDb;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The overview of a server with two worker processes, a paused queue and an endpoint at its limit. */
class OverviewIT {
    private static final Duration BOUND = Duration.ofSeconds(60);
    private static final int FAST = 40;
    private static final int BAD = 3;

    private static final CompletableFuture<Void> gate = new CompletableFuture<>();
    private static final Receiver receiver = new Receiver();
    private static Program server;
    private static Program first;
    private static Program second;
    private static Api api;

    @BeforeAll
    static void start() throws InterruptedException {
        var setup = Program.serving(ServerDb.fresh(OverviewIT.class)).with("TE_WORKER_MAX_CONCURRENT", "6");
        server = setup.arguments("--roles=api,scheduler").startReady();
        first = setup.arguments("--roles=worker").startReady();
        second = setup.arguments("--roles=worker").startReady();
        api = server.api();
        receiver.answer(request -> switch (request.path()) {
            case "/slow", "/limited" -> Answer.of(200, "{}").after(gate);
            case "/bad" -> Answer.of(400, "{}");
            default -> Answer.of(200, "{}");
        });
        endpoint("fast", Map.of());
        endpoint("bad", Map.of());
        endpoint("slow", Map.of());
        endpoint("limited", Map.of("flow", Map.of("max_concurrency", 1)));
        endpoint("stopped", Map.of("queue", "mail"));
        assertThat(api.post("/queues/mail/pause", Map.of("reason", "repairs")).statusCode())
                .isEqualTo(200);
        create("fast", FAST);
        create("bad", BAD);
        create("stopped", 5);
        create("slow", 4);
        create("limited", 3);
    }

    @AfterAll
    static void stop() {
        gate.complete(null);
        second.close();
        first.close();
        server.close();
        receiver.close();
    }

    private static void endpoint(String name, Map<String, ?> more) {
        var endpoint = new HashMap<>(Api.posting(name, receiver.uri("/" + name), Map.of("max_attempts", 1)));
        endpoint.putAll(more);
        var _ = api.create("/endpoints", endpoint);
    }

    private static void create(String endpoint, int count) {
        for (var i = 0; i < count; i++) {
            var _ = api.immediate(endpoint, "key-" + i);
        }
    }

    private static JsonPath overview() {
        return api.read("/overview");
    }

    private static Map<String, Object> row(JsonPath overview, String list, String name) {
        return overview.<Map<String, Object>>getList(list + ".items").stream()
                .filter(row -> name.equals(row.get("name")))
                .findFirst()
                .orElse(Map.of());
    }

    private static JsonPath whenTold() throws InterruptedException {
        return Eventually.await(
                "both workers have told what they do",
                BOUND,
                OverviewIT::overview,
                found -> Integer.valueOf(5)
                                .equals(row(found, "queues", "default").get("running"))
                        && found.getInt("totals.used_slots") == 5
                        && Integer.valueOf(FAST)
                                .equals(row(found, "endpoints", "fast").get("attempts"))
                        && Integer.valueOf(BAD)
                                .equals(row(found, "endpoints", "bad").get("attempts"))
                        && found.<Map<String, Object>>getList("workers.items").stream()
                                .allMatch(worker ->
                                        worker.get("pressure") instanceof Map<?, ?> pressure && !pressure.isEmpty()));
    }

    @Test
    void itHasQueuesWorkersAndEndpointsOfAllProcesses() throws InterruptedException {
        var overview = whenTold();

        assertThat(row(overview, "queues", "mail"))
                .containsEntry("ready", 5)
                .containsEntry("paused", true)
                .containsEntry("pause_reason", "repairs")
                .containsKey("paused_at")
                .containsEntry("running", 0);
        assertThat((Integer) row(overview, "queues", "mail").get("oldest_due_ms"))
                .isPositive();
        assertThat(row(overview, "queues", "default"))
                .containsEntry("parked", 2)
                .containsEntry("paused", false)
                .containsEntry("weight", 1)
                .containsEntry("more", List.of());
        assertThat(overview.getInt("queues.total")).isEqualTo(2);
        assertThat(overview.getInt("workers.total")).isEqualTo(2);
        assertThat(overview.<Integer>getList("workers.items.slots")).containsExactly(6, 6);
        assertThat(row(overview, "endpoints", "slow"))
                .containsEntry("running", 4)
                .doesNotContainKey("p50_ms");
        assertThat(row(overview, "endpoints", "bad"))
                .containsEntry("attempts", BAD)
                .containsEntry("failures", BAD);
        assertThat(row(overview, "endpoints", "limited"))
                .containsEntry("places", 1)
                .containsEntry("parked", 2)
                .containsEntry("lines", 1)
                .containsEntry("breaker", "CLOSED");
        assertThat(row(overview, "endpoints", "fast").get("p95_ms"))
                .isInstanceOfSatisfying(
                        Number.class, millis -> assertThat(millis.doubleValue()).isBetween(0.1, 60_000.0));
        assertThat(overview.getMap("totals"))
                .containsEntry("ready", 5)
                .containsEntry("parked", 2)
                .containsEntry("slots", 12)
                .containsEntry("flow_lines", 1)
                .containsEntry("flow_places", 1);
        assertThat(overview.getDouble("totals.ended_per_sec")).isPositive();
    }

    @Test
    void topShowsIt(@TempDir Path folder) throws Exception {
        var _ = whenTold();

        assertThat(CliBed.in(folder, api).done("top", "--once"))
                .contains("Slots used: 5 of 12.", "Flow keys: places taken 1, keys with a line 1")
                .containsPattern("(?m)^mail +5 +0 +0 +0 .* paused$")
                .containsPattern("(?m)^worker_[0-9a-f]+ +\\d +6 ")
                .containsPattern("(?m)^fast +0 +40 +0 +\\d+ms +\\d+ms +0$")
                .containsPattern("(?m)^slow +4 +0 +0 ");
    }

    @Test
    void whoMayReadMayReadIt() {
        var key = api.create("/keys", Map.of("name", "reader", "scopes", List.of("read")))
                .getString("key");

        assertThat(new Api(api.port(), key).get("/overview").statusCode()).isEqualTo(200);
        assertThat(api.get("/overview?limit=1").statusCode()).isEqualTo(400);
    }
}
