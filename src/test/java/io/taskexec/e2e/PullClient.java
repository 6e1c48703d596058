package io.taskexec.e2e;

import static io.taskexec.e2e.ErrorAnswer.expectError;
import static org.assertj.core.api.Assertions.assertThat;

import io.restassured.path.json.JsonPath;
import io.restassured.response.Response;
import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Program;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** A pull worker with a name of its own, which also registers endpoints and creates jobs. */
final class PullClient {
    static final Duration BOUND = Duration.ofSeconds(30);
    private static final AtomicInteger NAMES = new AtomicInteger();

    private final Api api;
    private final Program program;
    private final String worker;

    PullClient(Api api, Program program) {
        this(api, program, "worker-" + number());
    }

    private PullClient(Api api, Program program, String worker) {
        this.api = api;
        this.program = program;
        this.worker = worker;
    }

    /** The same worker, whose requests reach another process. */
    PullClient at(Program other) {
        return new PullClient(other.api(), other, worker);
    }

    /** A number that no other name has. */
    static int number() {
        return NAMES.incrementAndGet();
    }

    /** JSON that is written with single quotes. */
    static String json(String text) {
        return text.replace('\'', '"');
    }

    /** Registers an endpoint with these fields more. */
    String endpoint(String more) {
        var name = "pulled-" + number();
        var _ = api.create("/endpoints", json("{'name': '%s', 'type': 'WORKER', 'spec': {} %s}".formatted(name, more)));
        return name;
    }

    String start(String endpoint) {
        return start(endpoint, "");
    }

    /** Creates a job with these fields more, and returns its execution. */
    String start(String endpoint, String more) {
        var job = "{'endpoint': '%s', 'idempotency_key': 'lease-%d' %s}".formatted(endpoint, number(), more);
        return api.create("/jobs", json(job)).getString("job_id").replace("job_", "exec_");
    }

    JsonPath lease(String endpoint, String more) {
        var request = "{'worker': '%s', 'endpoints': ['%s'] %s}".formatted(worker, endpoint, more);
        return answer(api.post("/leases", json(request)));
    }

    /** Waits for one lease. */
    String leased(String endpoint) {
        return lease(endpoint, ", 'wait': 'PT10S'").getString("leases[0].lease");
    }

    /** A request that waits. */
    CompletableFuture<JsonPath> waiting(String endpoint) {
        var waiting =
                CompletableFuture.supplyAsync(() -> lease(endpoint, ", 'wait': 'PT20S'"), Thread::startVirtualThread);
        awaitCaller(1);
        return waiting;
    }

    /** A request of a worker without room, which waits for what it is to stop. */
    CompletableFuture<JsonPath> full(String endpoint) {
        var full = CompletableFuture.supplyAsync(
                () -> lease(endpoint, ", 'full': true, 'wait': 'PT30S'"), Thread::startVirtualThread);
        awaitCaller(1);
        return full;
    }

    void awaitCaller(int callers) {
        var line = "taskexec_lease_callers %d.0".formatted(callers);
        try {
            Eventually.await(callers + " callers", BOUND, () -> metrics().contains(line));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private String metrics() {
        try {
            return program.manage("/q/metrics").body();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void expectRefusal(Response response, int status, String code) {
        var _ = expectError(status, code, response);
    }

    static JsonPath answer(Response response) {
        assertThat(response.statusCode()).as(response.asString()).isEqualTo(200);
        return response.jsonPath();
    }

    /** Says something of leases. */
    JsonPath tell(String action, String... items) {
        return answer(api.post("/leases/" + action, json("{'leases': [%s]}".formatted(String.join(", ", items)))));
    }

    static String item(String lease) {
        return "{'lease': '%s'}".formatted(lease);
    }

    JsonPath execution(String id) {
        return api.read("/executions/" + id);
    }

    static String error(JsonPath results, int item) {
        return results.getString("results[%d].error.code".formatted(item));
    }
}
