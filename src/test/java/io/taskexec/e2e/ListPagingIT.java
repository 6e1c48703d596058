package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.testing.Api;
import io.taskexec.testing.ServerDb;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Every list of the API takes the same parameters, and its pages together are the list. */
// Nothing is delivered, so that the lists stay as they are while they are read.
@ServerTest(roles = "api")
class ListPagingIT {
    private static final int MOST = 200;
    private static final int ATTEMPTS = 70;

    /** All routes that answer with a list. */
    static final List<String> ROUTES = List.of(
            "/payload-specs",
            "/configs",
            "/secrets",
            "/queues",
            "/endpoints",
            "/endpoints/{name}/events",
            "/endpoints/{name}/versions",
            "/jobs",
            "/jobs/{id}/versions",
            "/jobs/{id}/executions",
            "/jobs/{id}/ticks",
            "/jobs/{id}/gaps",
            "/executions",
            "/executions/{id}/attempts",
            "/executions/{id}/logs",
            "/operations",
            "/keys",
            "/audit",
            "/workflow-definitions",
            "/workflows",
            "/approvals");

    @Inject
    private static ServerDb db;

    @Inject
    private static Api api;

    private static final Map<String, String> ids = new HashMap<>();

    @BeforeAll
    static void fillAllLists() {
        for (var name : List.of("a", "b", "c")) {
            var _ = api.create("/payload-specs", "{\"name\": \"" + name + "\", \"schema\": {}}");
            api.config(name, Map.of());
            api.secret(name, "value");
            var _ = api.create("/queues", Map.of("name", name));
            api.endpoint(name, api.uri("/"), Map.of());
            var _ = api.create("/keys", Map.of("name", name, "scopes", List.of("read")));
            var _ = api.create(
                    "/executions/bulk", Map.of("action", "cancel", "filter", Map.of("endpoint", "nothing-" + name)));
            db.execute("INSERT INTO endpoint_events VALUES ('a', gen_random_uuid(), 'ENABLED', '" + name + "', now())");
            var _ = api.create(
                    "/jobs", Map.of("endpoint", name, "trigger", "DELAYED", "delay", "PT1H", "idempotency_key", name));
        }
        for (var path : List.of("/2", "/3")) {
            assertThat(api.put("/endpoints/a", Api.posting("a", api.uri(path), Map.of()))
                            .statusCode())
                    .isEqualTo(200);
        }
        for (var name : List.of("x", "y", "z")) {
            var jobs = Map.of("a", Map.of("endpoint", "a"));
            assertThat(api.put("/workflow-definitions/" + name, Map.of("jobs", jobs))
                            .statusCode())
                    .isEqualTo(201);
            var _ = api.create(
                    "/workflows",
                    Map.of("definition", name, "trigger", "DELAYED", "delay", "PT1H", "idempotency_key", name));
        }
        db.execute("""
                INSERT INTO approvals (execution_id, attempt, title, announce, asked_at, deadline, on_timeout)
                SELECT job_id, 1, 'Go?', 'a', now(), now() + interval '1 hour', 'fail' FROM jobs
                """);
        schedule();
        attempts();
    }

    private static void schedule() {
        var now = Instant.now().truncatedTo(ChronoUnit.MINUTES);
        var timetable =
                "\"cron\": \"* * * * *\", \"timezone\": \"UTC\", \"starts_at\": \"" + now.minusSeconds(3600) + "\"";
        var first = api.create("/jobs", "{\"endpoint\": \"a\", \"trigger\": \"CRON\", " + timetable + "}")
                .getString("job_id");
        var backfill = "{\"from\": \"" + now.minusSeconds(300) + "\", \"to\": \"" + now.minusSeconds(60) + "\"}";
        assertThat(api.post("/jobs/" + first + "/backfill", backfill).statusCode())
                .isEqualTo(200);
        db.execute("UPDATE jobs SET created_at = created_at - interval '30 minutes' WHERE job_id = '" + Api.uuid(first)
                + "'");
        ids.put("/jobs/{id}", first);
        var second = api.update("/jobs/" + first, "{" + timetable + "}").getString("job_id");
        var _ = api.update("/jobs/" + second, "{" + timetable + "}");
        // As updates at once may have left it, before an index kept them from it.
        var fork = api.create("/jobs", "{\"endpoint\": \"a\", \"trigger\": \"CRON\", " + timetable + "}")
                .getString("job_id");
        db.execute("UPDATE jobs SET version = 2, previous_version_id = '%s' WHERE job_id = '%s'"
                .formatted(Api.uuid(first), Api.uuid(fork)));
        db.execute(
                "UPDATE schedules SET root_id = '%s' WHERE job_id = '%s'".formatted(Api.uuid(first), Api.uuid(fork)));
    }

    private static void attempts() {
        var job = Api.uuid(api.read("/jobs?trigger=DELAYED").getString("items[0].job_id"));
        db.execute("""
                INSERT INTO attempts (execution_id, attempt_number, status, error, started_at, completed_at)
                SELECT '%1$s', n, 'FAILED', '{"type": "TIMEOUT"}',
                  now() + n * interval '1 second', now() + n * interval '1 second' + interval '100 milliseconds'
                FROM generate_series(1, %2$d) AS n
                """.formatted(job, ATTEMPTS));
        db.execute("""
                INSERT INTO execution_logs (execution_id, log_id, attempt_number, level, message, logged_at)
                SELECT execution_id, gen_random_uuid(), attempt_number, 'WARN', 'failed: ' || attempt_number, \
                completed_at
                FROM attempts WHERE execution_id = '%s' AND attempt_number <= 9
                """.formatted(job));
        ids.put("/executions/{id}", "exec_" + job.toString().replace("-", ""));
        ids.put("/endpoints/{name}", "a");
    }

    private static String path(String route) {
        return ids.entrySet().stream()
                .reduce(
                        route,
                        (path, entry) -> path.replace(
                                entry.getKey(), entry.getKey().replaceFirst("\\{.*", "") + entry.getValue()),
                        (one, _) -> one);
    }

    /** All items, {@code limit} at a time. */
    private static List<Object> paged(String path, int limit) {
        var items = new ArrayList<Object>();
        var cursor = "";
        while (cursor != null) {
            var page = api.read(path + "?limit=" + limit + (cursor.isEmpty() ? "" : "&cursor=" + cursor));
            assertThat(page.getList("items")).hasSizeLessThanOrEqualTo(limit);
            assertThat(page.<String, Object>getMap("$")).containsKey("cursor");
            items.addAll(page.getList("items"));
            cursor = page.getString("cursor");
        }
        return items;
    }

    @Test
    void theTableHasAllListsOfTheApiThatHavePages() {
        var document = ApiDocument.read();
        var lists = document.operations().entrySet().stream()
                .filter(operation -> operation.getKey().startsWith("GET ") && hasPages(document, operation.getValue()))
                .map(operation -> operation.getKey().substring("GET ".length()))
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(lists).containsExactlyElementsOf(new TreeSet<>(ROUTES));
    }

    private static boolean hasPages(ApiDocument document, JsonNode operation) {
        var schema = operation
                .path("responses")
                .path("200")
                .path("content")
                .path("application/json")
                .path("schema");
        return document.tree()
                .at(schema.path("$ref").asText("#/nothing").substring(1))
                .path("properties")
                .has("cursor");
    }

    @ParameterizedTest
    @FieldSource("ROUTES")
    void thePagesOfAListTogetherAreTheList(String route) {
        var whole = paged(path(route), MOST);

        assertThat(whole).as(route).hasSizeGreaterThanOrEqualTo(3).doesNotHaveDuplicates();
        assertThat(paged(path(route), 1)).isEqualTo(whole);
        assertThat(paged(path(route), 7)).isEqualTo(whole);
    }

    @Test
    void aForkedScheduleHasTwoVersionsOfOneNumberAndNoneIsLost() {
        assertThat(paged(path("/jobs/{id}/versions"), 1))
                .extracting(version -> ((Map<?, ?>) version).get("version"))
                .isEqualTo(List.of(3, 2, 2, 1));
    }

    @ParameterizedTest
    @FieldSource("ROUTES")
    void aListWithoutALimitHasFiftyItemsAtMost(String route) {
        assertThat(api.read(path(route)).getList("items"))
                .isEqualTo(paged(path(route), MOST).stream().limit(50).toList());
    }

    @ParameterizedTest
    @FieldSource("ROUTES")
    void aLimitOrACursorThatCannotBeMeantIsRefused(String route) {
        Stream.of("limit=-1", "limit=0", "limit=201", "limit=abc", "limit=", "cursor=*", "cursor=bm9wZQ", "cursor=")
                .forEach(query -> {
                    var answer = api.get(path(route) + "?" + query);

                    assertThat(answer.statusCode()).as(route + "?" + query).isEqualTo(400);
                    assertThat(answer.<String>path("error.message")).contains(query.replaceFirst("=.*", ""));
                });
    }
}
