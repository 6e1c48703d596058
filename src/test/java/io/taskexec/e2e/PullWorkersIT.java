package io.taskexec.e2e;

import static io.taskexec.e2e.PullClient.answer;
import static io.taskexec.e2e.PullClient.error;
import static io.taskexec.e2e.PullClient.expectRefusal;
import static io.taskexec.e2e.PullClient.item;
import static io.taskexec.e2e.PullClient.json;
import static io.taskexec.e2e.PullClient.number;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Program;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Pull workers: what else holds for executions also holds for theirs, and who may ask for them. */
@ServerTest(env = {"TE_PUBLIC_URL=http://public.invalid"})
class PullWorkersIT {
    @Inject
    private static Api api;

    @Inject
    private static Program program;

    @Inject
    private static Receiver receiver;

    private final PullClient pull = new PullClient(api, program);

    @Test
    void aDeferredAttemptEndsByItsCallback() {
        var endpoint = pull.endpoint(", 'completion': {'modes': ['callback'], 'timeout': 'PT1H'}");
        var id = pull.start(endpoint);
        var lease = pull.lease(endpoint, "");
        var url = lease.getString("leases[0].callback_url");
        assertThat(url).startsWith("http://public.invalid/callbacks/");

        var deferred =
                pull.tell("defer", "{'lease': '%s', 'timeout': 'PT10M'}".formatted(lease.getString("leases[0].lease")));

        assertThat(deferred.getString("results[0].callback_url")).isEqualTo(url);
        assertThat(pull.execution(id).getString("status")).isEqualTo("DEFERRED");
        var called = api.bare()
                .body(json("{'status': 'succeeded', 'output': {'ok': true}}"))
                .post(url.replace("http://public.invalid", ""));
        assertThat(called.statusCode()).isEqualTo(200);
        assertThat(pull.execution(id).getString("status")).isEqualTo("SUCCESS");
    }

    @Test
    void aDeferralThatTimesOutIsRetriedByAPullWorker() {
        var endpoint = pull.endpoint(
                ", 'retry_policy': {'max_attempts': 2, 'initial_delay_ms': 0}, 'completion': {'modes': ['callback'],"
                        + " 'timeout': 'PT1S'}");
        var id = pull.start(endpoint);
        pull.tell("defer", item(pull.leased(endpoint)));

        var next = pull.lease(endpoint, ", 'wait': 'PT20S'");

        assertThat(next.getString("leases[0].execution_id")).isEqualTo(id);
        assertThat(next.getInt("leases[0].attempt")).isEqualTo(2);
        pull.tell("complete", item(next.getString("leases[0].lease")));
        assertThat(String.valueOf(api.attempts(id).getFirst().get("error"))).contains("DEFERRAL_TIMEOUT");
    }

    @Test
    void anEndpointWithoutCallbacksCannotBeDeferred() {
        var endpoint = pull.endpoint("");
        pull.start(endpoint);

        var refused = pull.tell("defer", item(pull.leased(endpoint)));

        assertThat(error(refused, 0)).isEqualTo("NOT_DEFERRABLE");
    }

    @Test
    void jobsOfAWorkflowAreLeasedWithTheResultsOfTheirParents() throws Exception {
        var endpoint = pull.endpoint("");
        var run = api.create("/workflows", json("""
                {'name': 'pulled', 'idempotency_key': 'run-%d', 'jobs': {
                  'first': {'endpoint': '%2$s', 'input': {'n': 1}},
                  'second': {'endpoint': '%2$s', 'depends_on': ['first'],
                    'input': {'from': '{{parents.first.output.json.n}}'}}}}
                """.formatted(number(), endpoint)));
        var id = run.getString("workflow_id");
        var first = pull.lease(endpoint, ", 'wait': 'PT10S'");
        assertThat(first.getString("leases[0].workflow_id")).isEqualTo(id);
        assertThat(first.<Object>get("leases[0].parents")).isNull();
        pull.tell("complete", "{'lease': '%s', 'output': {'n': 7}}".formatted(first.getString("leases[0].lease")));

        var second = pull.lease(endpoint, ", 'wait': 'PT10S'");

        assertThat(second.<Object>get("leases[0].parents.first")).isNotNull();
        pull.tell("complete", item(second.getString("leases[0].lease")));
        Eventually.await(
                "the run ends",
                PullClient.BOUND,
                () -> "SUCCESS".equals(api.read("/workflows/" + id).getString("status")));
    }

    @Test
    void flowKeysLimitWhatPullWorkersGet() {
        var endpoint = pull.endpoint(", 'flow': {'key': '{{input.tenant}}', 'max_concurrency': 1}");
        for (var i = 0; i < 3; i++) {
            pull.start(endpoint, ", 'input': {'tenant': 'a'}");
        }
        pull.start(endpoint, ", 'input': {'tenant': 'b'}");

        var leases = pull.lease(endpoint, ", 'max': 10, 'wait': 'PT10S'");

        var tenants = leases.getList("leases.input.tenant", String.class);
        assertThat(tenants).containsExactlyInAnyOrder("a", "b");
        pull.tell(
                "complete",
                leases.getList("leases.lease", String.class).stream()
                        .map(PullClient::item)
                        .toArray(String[]::new));
        assertThat(pull.lease(endpoint, ", 'max': 10, 'wait': 'PT10S'").getList("leases"))
                .hasSize(1);
    }

    @Test
    void whatHasExpiredIsNotHandedOut() throws Exception {
        var endpoint = pull.endpoint("");
        var id = pull.start(endpoint, ", 'ttl': 'PT0.3S'");
        Eventually.await(
                "it expires",
                PullClient.BOUND,
                () -> "EXPIRED".equals(pull.execution(id).getString("status")));

        assertThat(pull.lease(endpoint, "").getList("leases")).isEmpty();
    }

    @Test
    void theQueueOfAnEndpointIsShownAndCanBePausedAndNothingElse() {
        var endpoint = pull.endpoint("");
        var queue = "/queues/worker:" + endpoint;
        pull.start(endpoint);
        assertThat(api.read("/endpoints/" + endpoint).getString("queue")).isEqualTo("worker:" + endpoint);

        assertThat(api.act(queue + "/pause").getBoolean("paused")).isTrue();
        assertThat(pull.lease(endpoint, ", 'wait': 'PT0.5S'").getList("leases")).isEmpty();
        api.act(queue + "/resume");
        assertThat(pull.lease(endpoint, ", 'wait': 'PT10S'").getList("leases")).hasSize(1);

        expectRefusal(api.put(queue, json("{'weight': 3}")), 400, "INVALID_REQUEST");
        expectRefusal(api.delete(queue), 409, "CONFLICT");
        expectRefusal(
                api.post(
                        "/jobs",
                        json("{'endpoint': '%s', 'idempotency_key': 'q', 'queue': 'default'}".formatted(endpoint))),
                400,
                "INVALID_REQUEST");
        expectRefusal(
                api.put("/endpoints/" + endpoint, Api.posting(endpoint, receiver.uri("/x"), Map.of())),
                409,
                "CONFLICT");
        expectRefusal(
                api.post("/endpoints", json("{'name': 'w', 'type': 'WORKER', 'spec': {}, 'queue': 'default'}")),
                400,
                "INVALID_REQUEST");
    }

    @Test
    void anEndpointThatIsDeletedTakesItsQueueAlong() {
        var endpoint = pull.endpoint("");

        assertThat(api.delete("/endpoints/" + endpoint).statusCode()).isEqualTo(204);

        expectRefusal(api.get("/queues/worker:" + endpoint), 404, "QUEUE_NOT_FOUND");
        api.create("/endpoints", json("{'name': '%s', 'type': 'WORKER', 'spec': {}}".formatted(endpoint)));
        pull.start(endpoint);
        assertThat(pull.lease(endpoint, ", 'wait': 'PT10S'").getList("leases")).hasSize(1);
    }

    @Test
    void theOrderOfAKeyHoldsForPullWorkersToo() {
        var endpoint = pull.endpoint(", 'flow': {'key': '{{input.tenant}}', 'order': 'fifo'}");
        var ids = new ArrayList<String>();
        for (var priority : List.of(5, 6, 1)) {
            ids.add(pull.start(endpoint, ", 'input': {'tenant': 'a'}, 'priority': %d".formatted(priority)));
        }

        var got = new ArrayList<String>();
        for (var i = 0; i < ids.size(); i++) {
            var lease = pull.lease(endpoint, ", 'max': 10, 'wait': 'PT10S'");
            assertThat(lease.getList("leases")).hasSize(1);
            got.add(lease.getString("leases[0].execution_id"));
            pull.tell("complete", item(lease.getString("leases[0].lease")));
        }

        assertThat(got).isEqualTo(ids);
    }

    @Test
    void aRateLimitsWhatPullWorkersGet() {
        var endpoint = pull.endpoint(", 'flow': {'rate': {'limit': 2, 'per': 'PT1H', 'burst': 2}}");
        for (var i = 0; i < 4; i++) {
            pull.start(endpoint);
        }

        var first = pull.lease(endpoint, ", 'max': 10, 'wait': 'PT10S'");

        assertThat(first.getList("leases")).hasSizeBetween(1, 2);
        pull.tell(
                "complete",
                first.getList("leases.lease", String.class).stream()
                        .map(PullClient::item)
                        .toArray(String[]::new));
        var rest = pull.lease(endpoint, ", 'max': 10, 'wait': 'PT2S'").getList("leases");
        assertThat(first.getList("leases").size() + rest.size()).isEqualTo(2);
    }

    @Test
    void anEndpointMayHaveALimitWithoutAKey() {
        var endpoint = pull.endpoint(", 'flow': {'max_concurrency': 2}");
        for (var i = 0; i < 3; i++) {
            pull.start(endpoint);
        }

        var leases = pull.lease(endpoint, ", 'max': 10, 'wait': 'PT10S'").getList("leases.lease", String.class);

        assertThat(leases).hasSize(2);
        assertThat(pull.lease(endpoint, ", 'max': 10, 'wait': 'PT0.5S'").getList("leases"))
                .isEmpty();
        pull.tell("complete", item(leases.getFirst()));
        assertThat(pull.lease(endpoint, ", 'max': 10, 'wait': 'PT10S'").getList("leases"))
                .hasSize(1);
    }

    @Test
    void aRetryThatWouldComeAfterTheDeadlineIsNotWaitedFor() throws Exception {
        var endpoint = pull.endpoint(", 'retry_policy': {'max_attempts': 5, 'initial_delay_ms': 3600000}");
        var id = pull.start(
                endpoint, ", 'deadline': '%s'".formatted(Instant.now().plusSeconds(120)));

        pull.tell("fail", "{'lease': '%s', 'error': {'message': 'no'}}".formatted(pull.leased(endpoint)));

        assertThat(api.ended(id).getString("status")).isEqualTo("EXPIRED");
    }

    @Test
    void whatLosesAWorkerTooOftenFailsWithoutAnotherOne() throws Exception {
        var endpoint = pull.endpoint("");
        var id = pull.start(endpoint);
        for (var attempt = 1; attempt <= 4; attempt++) {
            var lease = pull.lease(endpoint, ", 'wait': 'PT30S', 'lease': 'PT5S'");
            assertThat(lease.getInt("leases[0].attempt")).isEqualTo(attempt);
        }
        var asking = pull.lease(endpoint, ", 'wait': 'PT7S'");

        assertThat(asking.getList("leases")).isEmpty();
        assertThat(api.ended(id).getString("error.type")).isEqualTo("WORKER_LOST");
        assertThat(api.attemptStatuses(id)).containsOnly("LOST");
    }

    @Test
    void aJobOfAPullWorkerNamesNoQueueWhereverItIsDescribed() {
        var endpoint = pull.endpoint("");
        var run =
                "{'name': 'pulled', 'idempotency_key': 'run-%d', 'jobs': {'one': {'endpoint': '%s', 'queue': 'mine'}}}"
                        .formatted(number(), endpoint);
        expectRefusal(api.post("/workflows", json(run)), 400, "INVALID_REQUEST");
        var schedule = api.create(
                "/jobs",
                json("{'endpoint': '%s', 'idempotency_key': 'q-%d', 'cron': '0 0 1 1 *', 'timezone': 'UTC'}"
                        .formatted(endpoint, number())));

        expectRefusal(
                api.patch("/jobs/" + schedule.getString("job_id"), json("{'queue': 'default'}")),
                400,
                "INVALID_REQUEST");
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT4.9S", "PT1H0.1S", "PT0S", "soon"})
    void aLeaseIsNotExtendedForTooLittleOrTooLong(String time) {
        var endpoint = pull.endpoint("");
        pull.start(endpoint);
        var lease = pull.leased(endpoint);

        expectRefusal(
                api.post("/leases/extend", json("{'lease': '%s', 'leases': [%s]}".formatted(time, item(lease)))),
                400,
                "INVALID_REQUEST");

        for (var bound : List.of("PT5S", "PT1H")) {
            var extended = answer(
                    api.post("/leases/extend", json("{'lease': '%s', 'leases': [%s]}".formatted(bound, item(lease)))));
            assertThat(extended.getString("results[0].status")).isEqualTo("OK");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {"'max': 0", "'max': 501", "'lease': 'PT1S'", "'lease': 'PT2H'", "'wait': 'PT61S'"})
    void badRequestsAreRefused(String field) {
        var endpoint = pull.endpoint("");
        var body = json("{'worker': 'w', 'endpoints': ['%s'], %s}".formatted(endpoint, field));

        expectRefusal(api.post("/leases", body), 400, "INVALID_REQUEST");
    }

    @Test
    void anUnknownEndpointAndOneOfAnotherTypeAreRefused() {
        var http = "called-" + number();
        api.endpoint(http, receiver.uri("/x"), Map.of());

        for (var endpoint : List.of("nobody", http)) {
            var refusal = api.post("/leases", json("{'worker': 'w', 'endpoints': ['%s']}".formatted(endpoint)));
            expectRefusal(refusal, 400, "INVALID_REQUEST");
            assertThat(refusal.jsonPath().getString("error.details[0].pointer")).isEqualTo("/endpoints/0");
        }
    }

    @Test
    void aKeyWithTheScopeWorkMayDoNothingElseAndMayBeLimitedToEndpoints() {
        var endpoint = pull.endpoint("");
        var other = pull.endpoint("");
        var key = api.create(
                "/keys",
                json("{'name': 'work-%d', 'scopes': ['work'], 'endpoints': ['%s']}".formatted(number(), endpoint)));
        assertThat(key.getList("endpoints")).isEqualTo(List.of(endpoint));
        var limited = new Api(program.apiPort(), key.getString("key"));
        pull.start(endpoint);
        pull.start(other);

        var own = answer(limited.post("/leases", json("{'worker': 'w', 'endpoints': ['%s']}".formatted(endpoint))));
        assertThat(own.getList("leases")).hasSize(1);
        expectRefusal(
                limited.post("/leases", json("{'worker': 'w', 'endpoints': ['%s']}".formatted(other))),
                403,
                "FORBIDDEN");
        expectRefusal(limited.get("/jobs"), 403, "FORBIDDEN");
        var foreign = pull.leased(other);
        var refused = answer(limited.post("/leases/complete", json("{'leases': [%s]}".formatted(item(foreign)))));
        assertThat(error(refused, 0)).isEqualTo("FORBIDDEN");
        assertThat(pull.tell("complete", item(foreign)).getString("results[0].status"))
                .isEqualTo("OK");

        var reader = api.create("/keys", json("{'name': 'jobs-%d', 'scopes': ['jobs']}".formatted(number())));
        expectRefusal(
                new Api(program.apiPort(), reader.getString("key"))
                        .post("/leases", json("{'worker': 'w', 'endpoints': ['%s']}".formatted(endpoint))),
                403,
                "FORBIDDEN");
    }

    @Test
    void noPushWorkerRunsWhatPullWorkersWaitFor() {
        var endpoint = pull.endpoint("");
        var ids = List.of(pull.start(endpoint), pull.start(endpoint, ", 'priority': 0"));
        var leases = pull.lease(endpoint, ", 'max': 10");

        assertThat(leases.getList("leases.execution_id", String.class)).containsExactlyElementsOf(ids.reversed());
    }
}
