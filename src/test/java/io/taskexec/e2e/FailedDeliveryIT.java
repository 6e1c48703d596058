package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Answer;
import io.taskexec.testing.Api;
import io.taskexec.testing.Program;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A delivery that fails is tried again when that can help, and fails otherwise. */
@ServerTest
class FailedDeliveryIT {
    private static final Map<String, Object> QUICK_RETRIES =
            Map.of("max_attempts", 3, "backoff", "fixed", "initial_delay_ms", 1, "max_delay_ms", 1);

    @Inject
    private static Api api;

    @Inject
    private static Receiver receiver;

    @AfterEach
    void forget() {
        receiver.answer(Answer.of(200, "{}"));
        receiver.clear();
    }

    @Test
    void aReceiverThatFailsTwiceIsTriedThreeTimes() throws InterruptedException {
        var answers = List.of(Answer.of(503, "down"), Answer.of(500, "still"), Answer.of(200, "up"))
                .iterator();
        receiver.answer(_ -> answers.next());
        api.endpoint("flaky", receiver.uri("/"), QUICK_RETRIES);

        var executionId = api.immediate("flaky", "k");
        var execution = api.ended(executionId);

        assertThat(execution.getString("status")).isEqualTo("SUCCESS");
        assertThat(execution.getInt("attempt_count")).isEqualTo(3);
        assertThat(api.attemptStatuses(executionId)).containsExactly("FAILED", "FAILED", "SUCCESS");
        var first = api.attempts(executionId).getFirst();
        assertThat(String.valueOf(first.get("error"))).contains("HTTP_ERROR", "503", "down");
        assertThat(receiver.requests())
                .extracting(r -> r.header("Taskexec-Attempt"))
                .containsExactly("1", "2", "3");
        assertThat(receiver.requests())
                .extracting(r -> r.header("Idempotency-Key"))
                .containsOnly(executionId);
    }

    @Test
    void whenTheLastAttemptFailsTheExecutionDoes() throws InterruptedException {
        receiver.answer(Answer.of(503, "down"));
        api.endpoint("always-down", receiver.uri("/"), QUICK_RETRIES);

        var executionId = api.immediate("always-down", "k");
        var execution = api.ended(executionId);

        assertThat(execution.getString("status")).isEqualTo("FAILED");
        assertThat(execution.getString("error.type")).isEqualTo("HTTP_ERROR");
        assertThat(execution.getInt("error.status_code")).isEqualTo(503);
        assertThat(api.attemptStatuses(executionId)).containsExactly("FAILED", "FAILED", "FAILED");
        assertThat(receiver.requests()).hasSize(3);
    }

    @Test
    void aRefusalThatAnotherAttemptWouldOnlyRepeatIsFinal() throws InterruptedException {
        receiver.answer(Answer.of(400, "no such user"));
        api.endpoint("refused", receiver.uri("/"), QUICK_RETRIES);

        var executionId = api.immediate("refused", "k");
        var execution = api.ended(executionId);

        assertThat(execution.getString("status")).isEqualTo("FAILED");
        assertThat(execution.<String, Object>getMap("error"))
                .containsEntry("type", "HTTP_ERROR")
                .containsEntry("status_code", 400)
                .containsEntry("body", "no such user");
        assertThat(api.attemptStatuses(executionId)).containsExactly("FAILED");
    }

    @Test
    void whatCannotBeResolvedFailsAndNothingIsSent() throws InterruptedException {
        api.endpoint("unresolvable", receiver.uri("/"), QUICK_RETRIES);

        var job = api.create("/jobs", """
            {"endpoint": "unresolvable", "trigger": "IMMEDIATE", "idempotency_key": "k", "input": {"m": 1}}
            """);
        var execution = api.ended(job.getString("execution.execution_id"));

        assertThat(execution.getString("status")).isEqualTo("FAILED");
        assertThat(execution.getString("error.type")).isEqualTo("TEMPLATE_RESOLUTION_FAILED");
        assertThat(execution.getString("error.message")).contains("{{input.n}}");
        assertThat(execution.getInt("attempt_count")).isEqualTo(1);
        assertThat(receiver.requests()).isEmpty();
    }

    @Test
    void anAttemptThatTakesTooLongFailsAndIsRepeated() throws InterruptedException {
        api.create("/endpoints", """
            {"name": "slow", "type": "HTTP", "spec": {"url": "%s", "method": "GET", "timeout_ms": 200},
             "retry_policy": {"max_attempts": 10, "initial_delay_ms": 1}}
            """.formatted(receiver.uri("/")));
        var never = new CompletableFuture<Void>();
        // On a busy machine another attempt may take too long as well.
        receiver.answer(request -> "1".equals(request.header("Taskexec-Attempt"))
                ? Answer.of(200, "late").after(never)
                : Answer.of(200, "in time"));

        var executionId = api.immediate("slow", "k");
        var execution = api.ended(executionId);

        assertThat(execution.getString("output.body")).isEqualTo("in time");
        assertThat(String.valueOf(api.attempts(executionId).getFirst().get("error")))
                .contains("TIMEOUT");
    }

    @Test
    void aReceiverThatIsNotThereIsAFailureThatMayPass() throws InterruptedException {
        var nowhere = "http://127.0.0.1:" + Program.freePort() + "/";
        api.create("/endpoints", """
            {"name": "nowhere", "type": "HTTP", "spec": {"url": "%s", "method": "GET"},
             "retry_policy": {"max_attempts": 2, "initial_delay_ms": 1}}
            """.formatted(nowhere));

        var executionId = api.immediate("nowhere", "k");
        var execution = api.ended(executionId);

        assertThat(execution.getString("error.type")).isEqualTo("CONNECTION_ERROR");
        assertThat(api.attemptStatuses(executionId)).containsExactly("FAILED", "FAILED");
    }
}
