package io.taskexec.api.execution;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.taskexec.api.web.LogPlace;
import io.taskexec.model.endpoint.EndpointType;
import io.taskexec.model.job.Attempt;
import io.taskexec.model.job.Execution;
import io.taskexec.model.job.ExecutionStatus;
import io.taskexec.model.job.Failure;
import io.taskexec.store.execution.ExecutionStore.LogLine;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ExecutionLogTest {
    private static final UUID ID = UUID.fromString("01a1f88c-d314-7000-bf8f-b310aee6c296");
    private static final UUID WORKER = UUID.fromString("00000000-0000-0000-0000-000000000007");
    private static final Instant START = Instant.parse("2026-11-21T00:00:00Z");
    private static final Duration TOOK = Duration.ofMillis(12);

    private static Execution execution(EndpointType type, @Nullable Integer config) {
        return new Execution(
                ID,
                ID,
                "e",
                3,
                type,
                ExecutionStatus.SUCCESS,
                1,
                3,
                config,
                null,
                null,
                START,
                null,
                START,
                START.plus(TOOK),
                TOOK,
                START,
                null,
                null,
                null);
    }

    private static Instant begin(int number) {
        return START.plusSeconds(number);
    }

    private static Attempt attempt(
            int number, Attempt.Status status, @Nullable JsonNode output, @Nullable JsonNode error) {
        var end = begin(number).plus(TOOK);
        return new Attempt(number, status, begin(number), end, TOOK, output, error, WORKER);
    }

    private static Attempt failed(int number, Failure.Type type) {
        return attempt(number, Attempt.Status.FAILED, null, new Failure(type, "it did").toJson());
    }

    private static Attempt succeeded(int number) {
        var output = JsonNodeFactory.instance.objectNode().put("status_code", 201);
        return attempt(number, Attempt.Status.SUCCESS, output, null);
    }

    private static LogLine written(int number, String message) {
        return new LogLine(number, "WARN", message, begin(number).plus(TOOK));
    }

    private static List<String> messages(List<Attempt> attempts, LogLine... written) {
        return ExecutionLog.of(execution(EndpointType.HTTP, 2), attempts, List.of(written)).stream()
                .map(LogLine::message)
                .toList();
    }

    @Test
    void aSuccessSaysWhoClaimedItAndWhatCameOfIt() {
        assertThat(messages(List.of(succeeded(1))))
                .containsExactly(
                        "claimed by worker_00000000000000000000000000000007",
                        "resolved by version 3 of endpoint 'e' with version 2 of its config",
                        "dispatched by HTTP: status 201 after 12 ms");
    }

    @Test
    void whatKafkaAcknowledgesHasNoStatus() {
        var acknowledged = attempt(1, Attempt.Status.SUCCESS, JsonNodeFactory.instance.objectNode(), null);

        assertThat(ExecutionLog.of(execution(EndpointType.KAFKA, null), List.of(acknowledged), List.of()))
                .extracting(LogLine::message)
                .endsWith("resolved by version 3 of endpoint 'e'", "dispatched by KAFKA: acknowledged after 12 ms");
    }

    @Test
    void whatWasWrittenFollowsWhatItsAttemptAmountsTo() {
        assertThat(messages(
                        List.of(failed(1, Failure.Type.TIMEOUT), succeeded(2)),
                        written(1, "failed: TIMEOUT: it did; next attempt in 5 ms")))
                .containsExactly(
                        "claimed by worker_00000000000000000000000000000007",
                        "resolved by version 3 of endpoint 'e' with version 2 of its config",
                        "dispatched by HTTP: TIMEOUT after 12 ms",
                        "failed: TIMEOUT: it did; next attempt in 5 ms",
                        "claimed by worker_00000000000000000000000000000007",
                        "resolved by version 3 of endpoint 'e' with version 2 of its config",
                        "dispatched by HTTP: status 201 after 12 ms");
    }

    @Test
    void nothingIsSaidToHaveBeenSentWhereThatIsNotKnown() {
        var lost = attempt(1, Attempt.Status.LOST, null, null);

        assertThat(messages(
                        List.of(lost, failed(2, Failure.Type.TEMPLATE_RESOLUTION_FAILED)),
                        written(1, "lost: its worker died or lost its lease")))
                .containsExactly(
                        "claimed by worker_00000000000000000000000000000007",
                        "lost: its worker died or lost its lease",
                        "claimed by worker_00000000000000000000000000000007",
                        "not resolved, so nothing was sent: TEMPLATE_RESOLUTION_FAILED");
    }

    @Test
    void whatMayNotBeCalledIsNotSaidToHaveBeenDispatched() {
        assertThat(messages(List.of(failed(1, Failure.Type.EGRESS_BLOCKED))))
                .containsExactly(
                        "claimed by worker_00000000000000000000000000000007",
                        "resolved by version 3 of endpoint 'e' with version 2 of its config",
                        "refused before anything was sent: EGRESS_BLOCKED");
    }

    @Test
    void thePagesOfALogTogetherAreTheLog() {
        var attempts = IntStream.rangeClosed(1, 20)
                .mapToObj(number -> failed(number, Failure.Type.TIMEOUT))
                .toList();
        var written = IntStream.rangeClosed(1, 20)
                .filter(number -> number % 3 != 0)
                .mapToObj(number -> written(number, "failed: " + number))
                .toList();
        var execution = execution(EndpointType.HTTP, null);
        var whole = ExecutionLog.of(execution, attempts, written);

        for (var limit : List.of(1, 2, 3, 7, 100)) {
            var lines = new ArrayList<LogLine>();
            @Nullable LogPlace next = LogPlace.BEGINNING;
            while (next != null) {
                var place = next;
                var most = place.shown() + limit + 1;
                var page = ExecutionLog.page(
                        execution,
                        attempts.stream()
                                .filter(one -> one.number() >= place.attempt())
                                .limit(most)
                                .toList(),
                        written.stream()
                                .filter(one -> one.attempt() >= place.attempt())
                                .limit(most)
                                .toList(),
                        place,
                        limit);
                lines.addAll(page.items());
                next = page.next();
            }
            assertThat(lines).as("%d at a time", limit).isEqualTo(whole);
        }
    }

    @Test
    void aPageGoesOnWhereItWasWhenLinesHaveBeenAdded() {
        var execution = execution(EndpointType.HTTP, null);
        var running = new Attempt(1, Attempt.Status.RUNNING, begin(1), null, null, null, null, WORKER);
        var first = ExecutionLog.page(execution, List.of(running), List.of(), LogPlace.BEGINNING, 1);
        var second = ExecutionLog.page(execution, List.of(succeeded(1)), List.of(), new LogPlace(1, 1), 1);

        assertThat(first.items()).hasSize(1);
        assertThat(first.next()).isNull();
        assertThat(second.items())
                .extracting(LogLine::message)
                .containsExactly("resolved by version 3 of endpoint 'e'");
        assertThat(second.next()).isEqualTo(new LogPlace(1, 2));
    }
}
