package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.restassured.response.Response;
import io.taskexec.testing.Api;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ten clients at once change what only one of them may. */
@ServerTest(roles = "api")
class RacesIT {
    private static final int CLIENTS = 10;
    private static final int ROUNDS = 10;
    private static final URI NOWHERE = URI.create("http://127.0.0.1:9/");
    private static final String UPDATE = "{\"cron\": \"0 10 * * MON\", \"timezone\": \"UTC\"}";

    @Inject
    private static Api api;

    private static final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    @BeforeAll
    static void register() {
        api.endpoint("target", NOWHERE, Map.of());
    }

    @AfterAll
    static void stop() {
        threads.close();
    }

    private static String schedule(String endpoint) {
        return """
                {"endpoint": "%s", "trigger": "CRON", "cron": "0 9 * * MON", "timezone": "UTC"}
                """.formatted(endpoint);
    }

    private static List<Response> atOnce(IntFunction<Response> request) throws Exception {
        var start = new CyclicBarrier(CLIENTS);
        var requests = new ArrayList<Callable<Response>>();
        for (var client = 0; client < CLIENTS; client++) {
            var number = client;
            requests.add(() -> {
                start.await();
                return TriedAgain.whileBusy(() -> request.apply(number), Response::statusCode);
            });
        }
        var responses = new ArrayList<Response>();
        for (var response : threads.invokeAll(requests)) {
            responses.add(response.get());
        }
        return responses;
    }

    private static List<Response> with(int status, List<Response> responses) {
        return responses.stream().filter(has(status)).toList();
    }

    private static Predicate<Response> has(int status) {
        return response -> response.statusCode() == status;
    }

    private static List<String> inForce(String job) {
        return api.read("/jobs/" + job + "/versions").getList("items.findAll { it.status == 'ACTIVE' }.job_id");
    }

    private static void expectReplaced(Response response, String code, String by) {
        assertThat(response.statusCode()).as(response.asString()).isEqualTo(409);
        assertThat(response.<String>path("error.code")).isEqualTo(code);
        assertThat(response.<String>path("error.replaced_by_id")).isEqualTo(by);
        assertThat(response.<String>path("error.message")).contains("Version 1 ", "version 2 ", by);
    }

    @Test
    void ofTenUpdatesAtOnceOneWinsAndTheOthersAreToldOfItsVersion() throws Exception {
        for (var round = 0; round < ROUNDS; round++) {
            var job = api.create("/jobs", schedule("target")).getString("job_id");

            var responses = atOnce(_ -> api.put("/jobs/" + job, UPDATE));

            assertThat(responses).extracting(Response::statusCode).containsOnlyOnce(200);
            var next = with(200, responses).getFirst().<String>path("job_id");
            assertThat(with(409, responses))
                    .hasSize(CLIENTS - 1)
                    .allSatisfy(response -> expectReplaced(response, "JOB_NOT_UPDATABLE", next));
            assertThat(inForce(job)).containsExactly(next);
        }
    }

    @Test
    void ofCancellationsAndUpdatesAtOnceNoneLeavesAVersionThatTheOtherDoesNotKnow() throws Exception {
        for (var round = 0; round < ROUNDS; round++) {
            var job = api.create("/jobs", schedule("target")).getString("job_id");

            var responses = atOnce(client ->
                    client % 2 == 0 ? api.post("/jobs/" + job + "/cancel", "") : api.put("/jobs/" + job, UPDATE));

            var cancellations = new ArrayList<Response>();
            var updates = new ArrayList<Response>();
            for (var client = 0; client < CLIENTS; client++) {
                (client % 2 == 0 ? cancellations : updates).add(responses.get(client));
            }
            if (cancellations.stream().anyMatch(has(200))) {
                assertThat(cancellations).allMatch(has(200));
                assertThat(updates).allMatch(has(409));
                assertThat(inForce(job)).isEmpty();
            } else {
                var next = with(200, updates).getFirst().<String>path("job_id");
                assertThat(with(200, updates)).hasSize(1);
                assertThat(cancellations).allSatisfy(response -> expectReplaced(response, "CONFLICT", next));
                assertThat(inForce(job)).containsExactly(next);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"IMMEDIATE", "CRON"})
    void ofTheDeletionOfAnEndpointAndTheCreationOfItsJobsAtOnceOneLoses(String trigger) throws Exception {
        for (var round = 0; round < ROUNDS; round++) {
            var name = "deleted-" + trigger.toLowerCase(Locale.ROOT) + "-" + round;
            api.endpoint(name, NOWHERE, Map.of());

            var responses = atOnce(client -> client == 0
                    ? api.delete("/endpoints/" + name)
                    : api.post(
                            "/jobs",
                            trigger.equals("CRON") ? schedule(name) : Api.immediateJob(name, "key-" + client)));

            var deletion = responses.removeFirst();
            if (deletion.statusCode() == 204) {
                assertThat(responses)
                        .allSatisfy(response ->
                                assertThat(response.<String>path("error.code")).isEqualTo("ENDPOINT_NOT_FOUND"));
            } else {
                assertThat(deletion.<String>path("error.code")).isEqualTo("CONFLICT");
                assertThat(responses).allMatch(has(201));
            }
            assertThat(api.read("/jobs?endpoint=" + name).getList("items"))
                    .hasSize(with(201, responses).size());
        }
    }

    @Test
    void aVersionThatWasReplacedCannotBeCancelledPausedOrFiredAndTheAnswerNamesTheNextOne() {
        var job = api.create("/jobs", schedule("target")).getString("job_id");
        var next = api.update("/jobs/" + job, UPDATE).getString("job_id");

        expectReplaced(api.put("/jobs/" + job, UPDATE), "JOB_NOT_UPDATABLE", next);
        for (var action : List.of("cancel", "pause", "resume", "trigger")) {
            expectReplaced(api.post("/jobs/" + job + "/" + action, ""), "CONFLICT", next);
        }
        var past = "{\"from\": \"2026-01-01T00:00:00Z\", \"to\": \"2026-02-01T00:00:00Z\"}";
        expectReplaced(api.post("/jobs/" + job + "/backfill", past), "CONFLICT", next);
        assertThat(inForce(job)).containsExactly(next);
        assertThat(api.read("/jobs/" + next + "/executions").getList("items")).isEmpty();
    }

    @Test
    void whatWasCancelledBeforeIsCancelledAgainAndHasNoNextVersion() {
        var job = api.create("/jobs", schedule("target")).getString("job_id");

        for (var again = 0; again < 2; again++) {
            assertThat(api.act("/jobs/" + job + "/cancel").getString("status")).isEqualTo("RETIRED");
        }

        var update = api.put("/jobs/" + job, UPDATE);
        assertThat(update.statusCode()).isEqualTo(409);
        assertThat(update.<Map<String, Object>>path("error")).doesNotContainKey("replaced_by_id");
    }
}
