package io.taskexec.e2e;

import static io.taskexec.e2e.PullClient.json;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.HostClock;
import io.taskexec.testing.Program;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.URLEncoder;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Clients that send a request and close the connection before its answer: the request is carried out as a whole. */
@ServerTest(
        env = "TE_PUBLIC_URL=http://public.invalid",
        own = "It looks at the metrics, the log and the number of requests that wait.")
class ClosedConnectionsIT {
    private static final Duration BOUND = Duration.ofSeconds(30);

    /** A scheduler finds by itself what was left undone, but later. */
    private static final Duration AT_ONCE = Duration.ofSeconds(4);

    private static final int TIMES = 40;

    /** Connections are closed at different stages of their requests. */
    private static final int STAGES = 10;

    private static final Duration STAGE = Duration.ofNanos(500_000);

    /** As many requests as a process lets wait. */
    private static final int MOST_WAITING = 1_000;

    @Inject
    private static Api api;

    @Inject
    private static Program program;

    private final PullClient pull = new PullClient(api, program);

    @AfterEach
    void nothingIsLogged() {
        assertThat(program.errors()).isEmpty();
    }

    private static void sendAndClose(int stage, String path, String body) throws Exception {
        sendAndClose(stage, path, "Authorization: Bearer " + api.key() + "\r\nContent-Type: application/json", body);
    }

    private static void sendAndClose(int stage, String path, String headers, String body)
            throws IOException, InterruptedException {
        var request = """
                POST %s HTTP/1.1\r
                Host: localhost\r
                Content-Length: %d\r
                %s\r
                \r
                %s""".formatted(path, body.getBytes(UTF_8).length, headers, body);
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), api.port())) {
            socket.setTcpNoDelay(true);
            socket.getOutputStream().write(request.getBytes(UTF_8));
            Thread.sleep(STAGE.multipliedBy(2 + stage % STAGES));
        }
    }

    private static String leases(String item) {
        return json("{'leases': [%s]}".formatted(item));
    }

    @Test
    void aResultIsTakenAsAWholeSoThatItsRepetitionIsAnsweredByIt() throws Exception {
        var endpoint = pull.endpoint("");
        var before = completed();
        for (var i = 0; i < TIMES; i++) {
            var id = pull.start(endpoint);
            var item = PullClient.item(pull.leased(endpoint));

            sendAndClose(i, "/leases/complete", leases(item));

            assertThat(api.ended(id).getString("status")).isEqualTo("SUCCESS");
            var repeated = pull.tell("complete", item);
            assertThat(repeated.getString("results[0].status"))
                    .as("%d: %s", i, repeated.prettify())
                    .isEqualTo("OK");
        }
        Eventually.await("all are counted", BOUND, () -> completed() == before + TIMES);
        assertThat(metric("taskexec_leases_held ")).isZero();
    }

    private static long completed() {
        return metric("taskexec_lease_results_total{result=\"completed\"} ");
    }

    private static long metric(String name) {
        try {
            return program.manage("/q/metrics")
                    .body()
                    .lines()
                    .filter(line -> line.startsWith(name))
                    .mapToLong(line -> (long) Double.parseDouble(line.substring(name.length())))
                    .sum();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aFailureOfAPullWorkerEndsARunThatFailsFast() throws Exception {
        var broken = pull.endpoint("");
        var other = pull.endpoint("");
        atEachStage(stage -> {
            var run = runThatFailsFast(broken, other);
            var lease = pull.leased(broken);

            var failed = "{'lease': '%s', 'error': {'message': 'no', 'permanent': true}}".formatted(lease);
            sendAndClose(stage, "/leases/fail", leases(failed));

            return untilFailure(run);
        });
    }

    @Test
    void aFailureByCallbackEndsARunThatFailsFast() throws Exception {
        var broken = pull.endpoint(", 'completion': {'modes': ['callback'], 'timeout': 'PT1H'}");
        var other = pull.endpoint("");
        atEachStage(stage -> {
            var run = runThatFailsFast(broken, other);
            var deferred = pull.tell("defer", PullClient.item(pull.leased(broken)));
            var callback =
                    URI.create(deferred.getString("results[0].callback_url")).getPath();

            var failed = json("{'status': 'failed', 'error': {'message': 'no', 'permanent': true}}");
            sendAndClose(stage, callback, "Content-Type: application/json", failed);

            return untilFailure(run);
        });
    }

    /** A request whose connection is closed at a stage; gives how long what follows from it took. */
    private interface Request {
        Duration send(int stage) throws Exception;
    }

    /** A request that comes late is made again at its stage: a machine that is busy is late once. */
    private static void atEachStage(Request request) throws Exception {
        for (var stage = 0; stage < STAGES; stage++) {
            var took = request.send(stage);
            if (took.compareTo(AT_ONCE) > 0) {
                took = request.send(stage);
            }
            assertThat(took).as("stage %d", stage).isLessThanOrEqualTo(AT_ONCE);
        }
    }

    private static String runThatFailsFast(String broken, String other) {
        var run = """
                {'idempotency_key': 'closed-%d', 'failure_policy': 'fail_fast',
                 'jobs': {'broken': {'endpoint': '%s'}, 'other': {'endpoint': '%s'}}}
                """.formatted(PullClient.number(), broken, other);
        return api.create("/workflows", json(run)).getString("workflow_id");
    }

    private static Duration untilFailure(String run) throws InterruptedException {
        var begin = HostClock.nanos();
        var _ = Eventually.await(
                "what waits is cancelled",
                BOUND,
                () -> statuses(run),
                Map.of("broken", "FAILED", "other", "CANCELLED")::equals);
        return HostClock.since(begin);
    }

    private static Map<String, String> statuses(String run) {
        return api.read("/workflows/" + run).<Map<String, Map<String, Object>>>get("jobs").entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, job -> String.valueOf(job.getValue().get("status"))));
    }

    @Test
    void whatIsChangedIsInTheAuditLog() throws Exception {
        for (var i = 0; i < TIMES; i++) {
            var queue = queue();

            sendAndClose(i, "/queues/" + queue + "/pause", "{}");

            awaitAudit(queue);
        }
    }

    @Test
    void whatAFormChangesIsInTheAuditLog() throws Exception {
        var person = DashboardSession.logIn(api, api.key());
        var form = "form_mark=" + URLEncoder.encode(DashboardSession.mark(person.get("/ui/queues")), UTF_8);
        var cookies = person.cookies().entrySet().stream()
                .map(cookie -> cookie.getKey() + "=" + cookie.getValue())
                .collect(Collectors.joining("; ", "Cookie: ", "\r\nContent-Type: application/x-www-form-urlencoded"));
        for (var i = 0; i < TIMES; i++) {
            var queue = queue();

            sendAndClose(i, "/ui/queues/" + queue + "/pause", cookies, form);

            awaitAudit(queue);
        }
    }

    private static String queue() {
        var name = "closed-" + PullClient.number();
        var _ = api.create("/queues", Map.of("name", name));
        return name;
    }

    private static void awaitAudit(String queue) throws InterruptedException {
        Eventually.await(
                queue + " is paused", BOUND, () -> api.read("/queues/" + queue).getBoolean("paused"));
        var entry = Eventually.await(
                "the pause of " + queue + " is in the audit log",
                BOUND,
                () -> api.read("/audit?kind=queue&limit=1").<String, Object>getMap("items[0]"),
                newest -> "pause".equals(newest.get("action")) && queue.equals(newest.get("resource")));
        assertThat(entry).containsEntry("remote_address", "127.0.0.1");
    }

    @Test
    void aJobIsCreatedAndItsClientTakesNoPlaceOfThoseThatWait() throws Exception {
        var endpoint = pull.endpoint("");
        var job = "{'endpoint': '%s', 'idempotency_key': 'gone-%d'}";

        for (var i = 0; i < MOST_WAITING; i++) {
            sendAndClose(2, "/jobs?wait=PT1M", json(job.formatted(endpoint, i)));
        }

        var last = "/endpoints/%s/keys/gone-%d".formatted(endpoint, MOST_WAITING - 1);
        Eventually.await("the last job", BOUND, () -> api.get(last).statusCode() == 200);
        Eventually.await("a request waits", BOUND, () -> {
            var begin = System.nanoTime();
            var _ = api.post("/jobs?wait=PT1S", json(job.formatted(endpoint, 0)));
            return System.nanoTime() - begin >= Duration.ofSeconds(1).toNanos();
        });
    }
}
