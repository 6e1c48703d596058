package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Answer;
import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Pages offer nothing that a key may not do, and forged forms change nothing. */
@ServerTest(env = {"TE_EVENTS_ENABLED=true", "TE_PUBLIC_URL=http://public.invalid"})
class DashboardScopesIT {
    private static final Duration BOUND = Duration.ofSeconds(30);

    /** The forms that the sources of the pages declare, so that a new one is among them. */
    private static final Pattern FORM = Pattern.compile("\\bpost\\(\"(/[^\"]+)\",\\s*KeyScope\\.(\\w+)");

    private static final Pattern MAIN = Pattern.compile("(?s)<main.*</main>");

    @Inject
    private static Receiver receiver;

    @Inject
    private static Api api;

    private static String failed;
    private static String question;
    private static String schedule;
    private static String workflow;
    private static String key;
    private static final Map<String, String> ids = new LinkedHashMap<>();

    @BeforeAll
    static void fill() throws InterruptedException {
        receiver.answer(Answer.of(500, "no"));
        api.endpoint("scoped", receiver.uri("/scoped"), Map.of("max_attempts", 1));
        failed = api.immediate("scoped", "scoped");
        var _ = api.ended(failed);
        var _ = api.create(
                "/endpoints",
                Map.of("name", "scoped-ask", "type", "APPROVAL", "spec", Map.of("announce", "scoped", "title", "Go?")));
        question = api.immediate("scoped-ask", "ask");
        Eventually.await(
                "it asks",
                BOUND,
                () -> api.read("/executions/" + question).getString("status").equals("DEFERRED"));
        schedule = api.create(
                        "/jobs",
                        Map.of(
                                "endpoint",
                                "scoped",
                                "cron",
                                "0 9 * * *",
                                "timezone",
                                "UTC",
                                "idempotency_key",
                                "daily"))
                .getString("job_id");
        workflow = api.create(
                        "/workflows",
                        Map.of(
                                "name", "scoped",
                                "idempotency_key", "scoped-run",
                                "jobs", Map.of("only", Map.of("endpoint", "scoped"))))
                .getString("workflow_id");
        var _ = api.ended(workflow.replace("wf_", "exec_"));
        key = api.create("/keys", Map.of("name", "victim", "scopes", List.of("read")))
                .getString("key_id");
        ids.put("/executions/", failed);
        ids.put("/approvals/", question);
        ids.put("/schedules/", schedule);
        ids.put("/jobs/", schedule);
        ids.put("/workflows/", workflow);
        ids.put("/keys/", key);
        ids.put("/queues/", "default");
        ids.put("/endpoints/", "scoped");
        ids.put("/operations/", "op_" + "0".repeat(32));
    }

    private static DashboardSession with(String scope) {
        return DashboardSession.logIn(
                api,
                api.create("/keys", Map.of("name", scope + System.nanoTime(), "scopes", List.of(scope)))
                        .getString("key"));
    }

    /** The scope that each form needs, by the path of a form that would work. */
    private static Map<String, String> forms() throws IOException {
        var forms = new TreeMap<String, String>();
        try (var files = Files.walk(Path.of("src/main/java/io/taskexec/web"))) {
            for (var file :
                    files.filter(file -> file.toString().endsWith(".java")).toList()) {
                var found = FORM.matcher(Files.readString(file));
                while (found.find()) {
                    forms.put(filled(found.group(1)), found.group(2));
                }
            }
        }
        return forms;
    }

    private static String filled(String route) {
        return ids.entrySet().stream()
                .filter(kind -> route.startsWith(kind.getKey()))
                .findFirst()
                .map(kind -> route.replaceAll(":(id|name)", kind.getValue()))
                .orElse(route);
    }

    private static List<Object> state() {
        return List.of(
                api.read("/audit?limit=1").getList("items.audit_id"),
                String.valueOf(api.read("/executions/" + failed).getString("retried_as")),
                api.read("/executions/" + question).getString("status"),
                api.read("/jobs/" + schedule + "/executions").getList("items"),
                api.read("/operations").getList("items.operation_id"),
                api.read("/approvals").getList("items.decision"),
                api.read("/keys").getList("items.revoked_at"),
                api.read("/jobs/" + schedule).getString("status"),
                String.valueOf(api.read("/jobs/" + schedule).getMap("pause")),
                String.valueOf(api.read("/workflows/" + workflow).getString("retried_as")),
                api.read("/queues/default").getMap("").toString());
    }

    @Test
    void noFormIsTakenFromAKeyThatLacksItsScope() throws IOException {
        var forms = forms();
        assertThat(forms).hasSizeGreaterThan(20).containsKey("/executions/" + failed + "/retry");
        assertThat(forms.keySet()).noneMatch(path -> path.contains(":"));
        var reader = with("read");
        var worker = with("jobs");
        var fields = new LinkedHashMap<>(Map.of(
                "decision", "approve",
                "name", "forged",
                "scope", "admin",
                "from", "2026-01-01T00:00:00Z",
                "to", "2026-01-02T00:00:00Z"));
        fields.putAll(Map.of("weight", "7", "reason", "forged", "rate", "10", "force", "true"));
        var before = state();

        forms.forEach((path, scope) -> {
            if (!scope.equals("READ")) {
                var answer = reader.send("/ui" + path, fields);
                assertThat(answer.statusCode()).as(path).isEqualTo(403);
                assertThat(answer.asString()).as(path).contains("This needs an API key with the scope");
            }
            if (scope.equals("ADMIN")) {
                assertThat(worker.send("/ui" + path, fields).statusCode())
                        .as(path)
                        .isEqualTo(403);
            }
        });

        assertThat(state()).isEqualTo(before);
    }

    @Test
    void whoMayOnlyReadSeesNoButtonThatChangesSomething() {
        var reader = with("read");
        for (var path : List.of(
                "/",
                "/jobs",
                "/executions",
                "/dead-letters",
                "/schedules",
                "/workflows",
                "/endpoints",
                "/queues",
                "/forecast",
                "/approvals",
                "/approvals?open=false",
                "/executions/" + failed,
                "/executions/" + question,
                "/jobs/" + schedule,
                "/schedules/" + schedule,
                "/workflows/" + workflow,
                "/queues/default",
                "/endpoints/scoped",
                "/search?q=nothing")) {
            var main = MAIN.matcher(reader.page("/ui" + path));
            assertThat(main.find()).as(path).isTrue();
            assertThat(main.group()).as(path).doesNotContain("method=\"post\"").doesNotContain("form_mark");
        }
        assertThat(reader.get("/ui/keys").statusCode()).isEqualTo(403);
        assertThat(reader.get("/ui/audit").statusCode()).isEqualTo(403);
    }
}
