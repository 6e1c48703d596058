package io.taskexec.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.client.StubServer.Call;
import io.taskexec.client.StubServer.Reply;
import io.taskexec.client.api.Leases;
import io.taskexec.client.api.Resources;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Calls each method of the client once, and compares what is sent with the OpenAPI document of the server. */
class RoutesTest {
    private static final Query ALL = Query.all();
    private static final Instant TIME = Instant.parse("2026-01-02T03:04:05Z");

    private static JsonNode document = Json.API.createObjectNode();
    private static List<Call> calls = List.of();

    @BeforeAll
    static void callEverything() throws IOException {
        document = Json.API.readTree(Files.readString(Path.of("..", "..", "docs", "openapi.json")));
        try (var server = new StubServer(call ->
                call.path().equals("/events") ? Reply.error(410, "EVENTS_GONE") : Reply.of(200, "{\"items\": []}"))) {
            var client = server.client();
            callJobs(client);
            callExecutions(client);
            callOthers(client);
            callWorkers(client);
            calls = server.calls();
        }
    }

    private static void callJobs(Taskexec client) {
        var jobs = client.jobs();
        jobs.create(client.job("e").input(Map.of()));
        jobs.createAndWait(client.target("http://x"), Duration.ofSeconds(1));
        jobs.createAll(List.of(client.job("e")));
        jobs.list(ALL.and("status", "ACTIVE").and("limit", 1)).page();
        jobs.get("id");
        jobs.update("id", Map.of("cron", "@daily"));
        jobs.patch("id", Map.of("delay", "PT1S"));
        jobs.cancel("id");
        jobs.cancelByForce("id");
        jobs.status("id");
        jobs.executions("id", ALL).page();
        jobs.versions("id").page();
        jobs.ticks("id", ALL.and("outcome", "FIRED")).page();
        jobs.gaps("id", ALL).page();
        jobs.pause("id", "why");
        jobs.pause("id", TIME, "why");
        jobs.resume("id");
        jobs.trigger("id");
        jobs.backfill("id", TIME, TIME);
        jobs.getByKey("e", "k");
        jobs.patchByKey("e", "k", Map.of("delay", "PT1S"));
        jobs.cancelByKey("e", "k");
        jobs.preview(Map.of("cron", "@daily"));
        client.workflow("w").job("a", "e", job -> {}).start();
        var workflows = client.workflows();
        workflows.run("definition", "key", Map.of());
        workflows.list(ALL).page();
        workflows.get("id");
        workflows.cancel("id");
        workflows.cancelByForce("id");
        workflows.retry("id");
        workflows.replay("id");
    }

    private static void callExecutions(Taskexec client) {
        var executions = client.executions();
        executions.list(ALL.and("created_from", TIME)).page();
        executions.get("id");
        executions.poll("id", Duration.ofSeconds(1));
        executions.attempts("id").page();
        executions.logs("id").page();
        executions.explain("id");
        executions.request("id");
        executions.cancel("id");
        executions.cancelByForce("id");
        executions.retry("id");
        executions.callback("id", CallbackRequest.heartbeat().extend(Duration.ofHours(1)));
        executions.preview("retry", Map.of("status", "FAILED"));
        executions.change("cancel", Map.of("queue", "q"));
        client.callBack("token", CallbackRequest.succeeded(1));
        client.callBack("token", CallbackRequest.failed("no", true));
        client.callBack("token", CallbackRequest.progress(1, 2, "half"));
    }

    private static void callOthers(Taskexec client) {
        for (var resources : List.<Resources<?>>of(
                client.configs(),
                client.secrets(),
                client.payloadSpecs(),
                client.queues(),
                client.workflowDefinitions())) {
            resources.list().page();
            resources.get("name");
            resources.put("name", Map.of());
            resources.delete("name");
        }
        client.configs().create(Map.of("name", "n", "values", Map.of()));
        client.secrets().create(Map.of("name", "n", "value", "v"));
        client.payloadSpecs().create(Map.of("name", "n", "schema", Map.of()));
        client.queues().create(Map.of("name", "n"));
        client.queues().pause("n", "why");
        client.queues().pause("n", TIME, "why");
        client.queues().resume("n");
        client.endpoints().list().page();
        client.endpoints().get("n");
        client.endpoints().create(EndpointBuilder.http("n", "http://x", "POST").retry(RetryPolicy.never()));
        client.endpoints()
                .put(
                        "n",
                        EndpointBuilder.http("n", "http://x", "POST")
                                .maxConcurrency(1)
                                .queue("q"));
        client.endpoints().delete("n");
        client.endpoints().breaker("n");
        client.endpoints().enable("n");
        client.endpoints().events("n").page();
        client.endpoints().versions("n").page();
        client.approvals().list(ALL.and("open", true)).page();
        client.approvals().get("id");
        client.approvals().approve("id", "");
        client.approvals().reject("id", "no");
        client.keys().create("n", List.of("read"), Duration.ofDays(1));
        client.keys().list().page();
        client.keys().get("id");
        client.keys().revoke("id");
        client.operations().list().page();
        client.operations().get("id");
        client.operations().cancel("id");
        client.pressure().list();
        client.pressure().set("n", 0.5, Duration.ofSeconds(30));
        client.pressure().clear("n");
        client.clock().get();
        client.clock().advance(Duration.ofDays(1));
        client.clock().advanceTo(TIME);
        client.overview();
        client.forecast(ALL.and("hours", 2));
        client.audit(ALL.and("kind", "job")).page();
        try (var events = client.events().follow(ALL.and("endpoint", "e"))) {
            assertThat(org.assertj.core.api.Assertions.catchThrowable(events::hasNext))
                    .hasMessageContaining("GONE");
        }
    }

    private static void callWorkers(Taskexec client) {
        var leases = client.leases();
        leases.acquire("w", List.of("e"), 1, Duration.ofSeconds(1), Duration.ofSeconds(60));
        leases.awaitCancellations("w", List.of("e"), Duration.ofSeconds(1));
        leases.extend(Duration.ofSeconds(60), Map.of("l", new Leases.Progress(1, 2.0, "half")));
        leases.complete(Map.of("l", Json.API.createObjectNode()));
        leases.fail(Map.of("l", new Leases.TaskError("no", "NO", true, Duration.ofSeconds(1))));
        leases.defer(Map.of("l", Duration.ofHours(1)));
        leases.release(List.of("l"));
        client.keys().createForWorker("n", List.of("e"));
    }

    /** The operation of the document that a call is. */
    private record Operation(String name, JsonNode description) {}

    private static Operation operation(Call call) {
        Operation found = null;
        for (var path : document.path("paths").properties()) {
            var pattern = Pattern.compile(path.getKey().replaceAll("\\{[a-z]+}", "[^/]+"));
            var description = path.getValue().path(call.method().toLowerCase(java.util.Locale.ROOT));
            // A path without a parameter goes before one with.
            if (pattern.matcher(call.path()).matches()
                    && (found == null || !path.getKey().contains("{"))) {
                found = new Operation(call.method() + " " + path.getKey(), description);
            }
        }
        return found == null ? new Operation(call.target(), Json.API.missingNode()) : found;
    }

    /** The lease API is described where it is built. */
    private static boolean isKnown(Call call) {
        return !call.path().startsWith("/leases") || document.path("paths").has("/leases");
    }

    @Test
    void everyOperationHasAMethod() {
        var all = new TreeSet<String>();
        document.path("paths")
                .properties()
                .forEach(path -> path.getValue().fieldNames().forEachRemaining(method -> {
                    if (Set.of("get", "put", "post", "patch", "delete").contains(method)) {
                        all.add(method.toUpperCase(java.util.Locale.ROOT) + " " + path.getKey());
                    }
                }));
        var called = new HashSet<String>();
        calls.forEach(call -> called.add(operation(call).name()));

        assertThat(all).hasSizeGreaterThan(80);
        all.removeAll(called);
        assertThat(all).isEmpty();
    }

    @Test
    void everyMethodIsAnOperation() {
        assertThat(calls)
                .filteredOn(RoutesTest::isKnown)
                .filteredOn(call -> operation(call).description().isMissingNode())
                .extracting(Call::target)
                .isEmpty();
    }

    @Test
    void parametersAreThoseOfTheOperation() {
        assertThat(calls).filteredOn(RoutesTest::isKnown).allSatisfy(call -> {
            var known = new HashSet<String>();
            operation(call)
                    .description()
                    .path("parameters")
                    .forEach(parameter -> known.add(parameter.path("name").asText()));
            assertThat(call.query().isEmpty() ? List.of() : List.of(call.query().split("&", -1)))
                    .as(call.target())
                    .allMatch(parameter -> known.contains(parameter.toString().split("=", 2)[0]));
        });
    }

    @Test
    void fieldsOfBodiesAreThoseOfTheSchema() {
        assertThat(calls).filteredOn(RoutesTest::isKnown).allSatisfy(call -> {
            var known = new HashSet<String>();
            operation(call)
                    .description()
                    .at("/requestBody/content/application~1json/schema")
                    .forEach(part -> collect(part, known));
            collect(operation(call).description().at("/requestBody/content/application~1json/schema"), known);
            call.body()
                    .fieldNames()
                    .forEachRemaining(
                            field -> assertThat(known).as(call.target()).contains(field));
        });
    }

    private static void collect(JsonNode schema, Set<String> fields) {
        if (schema.has("$ref")) {
            collect(document.at(schema.path("$ref").asText().substring(1)), fields);
        }
        schema.path("properties").fieldNames().forEachRemaining(fields::add);
        for (var several : List.of("oneOf", "anyOf", "allOf")) {
            schema.path(several).forEach(part -> collect(part, fields));
        }
    }
}
