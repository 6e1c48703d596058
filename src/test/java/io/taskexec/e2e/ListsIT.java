package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Answer;
import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tags, queues and the filters of lists. */
@ServerTest
class ListsIT {
    private static final Duration BOUND = Duration.ofSeconds(20);

    @Inject
    private static Receiver receiver;

    @Inject
    private static Api api;

    private static String first;
    private static String second;
    private static String later;
    private static String cron;
    private static Instant between;

    @BeforeAll
    static void createJobs() throws InterruptedException {
        api.endpoint("target", receiver.uri("/"), Map.of("max_attempts", 1));
        api.create("/endpoints", """
                {"name": "slow", "type": "HTTP", "queue": "bulk", "spec": {"url": "%s", "method": "POST"}}
                """.formatted(receiver.uri("/")));
        receiver.answer(Answer.of(200, "{}"));
        first = job("target", "IMMEDIATE", "one", "\"tags\": [\"customer:42\", \"mail\"]");
        awaitEnd(first);
        between = Instant.parse(api.read("/jobs/" + first).getString("created_at"))
                .plusMillis(2);
        Eventually.await("the next moment", BOUND, Instant::now, now -> now.isAfter(between));
        second = job("slow", "IMMEDIATE", "two", "\"tags\": [\"mail\"]");
        awaitEnd(second);
        later = job("slow", "DELAYED", "three", "\"delay\": \"PT1H\"");
        cron = api.create("/jobs", """
                {"endpoint": "target", "trigger": "CRON", "cron": "0 0 1 1 *", "timezone": "UTC", "tags": ["mail"]}
                """).getString("job_id");
    }

    private static String job(String endpoint, String trigger, String key, String more) {
        return api.create("/jobs", """
                {"endpoint": "%s", "trigger": "%s", "idempotency_key": "%s", %s}
                """.formatted(endpoint, trigger, key, more)).getString("job_id");
    }

    private static void awaitEnd(String job) throws InterruptedException {
        Eventually.await(
                "the end of the job",
                BOUND,
                () -> api.read("/jobs/" + job).getString("status"),
                status -> status.equals("RETIRED"));
    }

    private static List<String> jobs(String query) {
        return api.read("/jobs?" + query).getList("items.job_id");
    }

    @Test
    void aJobShowsItsQueueAndItsTagsInOrder() {
        var job = api.read("/jobs/" + first);

        assertThat(job.getString("queue")).isEqualTo("default");
        assertThat(job.<String>getList("tags")).containsExactly("customer:42", "mail");
        assertThat(api.read("/jobs/" + later).getString("queue")).isEqualTo("bulk");
        assertThat(api.read("/endpoints/slow").getString("queue")).isEqualTo("bulk");
    }

    @Test
    void jobsAreFoundByEachFilterAndByAllTogetherNewestFirst() {
        assertThat(jobs("tag=mail")).containsExactly(cron, second, first);
        assertThat(jobs("tag=customer:42")).containsExactly(first);
        assertThat(jobs("tag=none")).isEmpty();
        assertThat(jobs("queue=bulk")).containsExactly(later, second);
        assertThat(jobs("queue=default")).containsExactly(cron, first);
        assertThat(jobs("queue=none")).isEmpty();
        assertThat(jobs("endpoint=target")).containsExactly(cron, first);
        assertThat(jobs("trigger=DELAYED")).containsExactly(later);
        assertThat(jobs("status=ACTIVE")).containsExactly(cron, later);
        assertThat(jobs("status=RETIRED")).containsExactly(second, first);
        assertThat(jobs("created_before=" + between)).containsExactly(first);
        assertThat(jobs("created_from=" + between)).containsExactly(cron, later, second);
        assertThat(jobs("tag=mail&queue=bulk&status=RETIRED&trigger=IMMEDIATE&endpoint=slow&created_from=" + between))
                .containsExactly(second);
    }

    @Test
    void aFilteredListIsPagedWithoutGapsWhileJobsAreAdded() {
        var seen = new ArrayList<String>();
        var page = api.read("/jobs?tag=mail&limit=1");
        seen.addAll(page.getList("items.job_id"));
        var _ = api.create("/jobs", """
                {"endpoint": "slow", "trigger": "DELAYED", "delay": "PT1H", "idempotency_key": "in between", "tags": \
                ["mail"]}
                """);
        while (page.getString("cursor") != null) {
            page = api.read("/jobs?tag=mail&limit=1&cursor=" + page.getString("cursor"));
            seen.addAll(page.getList("items.job_id"));
        }

        assertThat(seen).endsWith(second, first).doesNotHaveDuplicates();
    }

    @Test
    void theExecutionsOfAJobAreFoundByStateAndRunTime() {
        var list = "/jobs/" + second + "/executions?limit=10&";
        var execution = api.read(list).getString("items[0].execution_id");
        var runAt = Instant.parse(api.read(list).getString("items[0].run_at"));

        assertThat(api.read(list + "status=SUCCESS").<String>getList("items.execution_id"))
                .containsExactly(execution);
        assertThat(api.read(list + "status=QUEUED").getList("items")).isEmpty();
        assertThat(api.read(list + "run_from=" + runAt).getList("items")).hasSize(1);
        assertThat(api.read(list + "run_before=" + runAt).getList("items")).isEmpty();
        assertThat(api.read("/jobs/" + later + "/executions?status=PENDING").getList("items"))
                .hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            /jobs?status=DONE                                     | status
            /jobs?trigger=cron                                    | trigger
            /jobs?created_from=yesterday                          | created_from
            /jobs/job_00000000-0000-7000-8000-000000000000/executions?status=DONE | status
            """)
    void aFilterThatCannotBeMeantIsRefused(String path, String parameter) {
        var answer = api.get(path);

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.<String>path("error.message")).contains(parameter);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            "mail"
            ["has space"]
            ["a,b"]
            [1]
            [""]
            ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"]
            """)
    void tagsThatAreNoneAreRefused(String tags) {
        var answer = api.post("/jobs", """
                {"endpoint": "target", "trigger": "IMMEDIATE", "idempotency_key": "tags", "tags": %s}
                """.formatted(tags));

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.<String>path("error.details[0].pointer")).isEqualTo("/tags");
    }
}
