package io.taskexec.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.client.StubServer.Reply;
import io.taskexec.client.model.ExecutionStatus;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ExecutionsTest {
    private static StubServer serverOf(String fields) {
        return new StubServer(call -> Reply.of(200, "{\"execution_id\": \"exec_1\", %s}".formatted(fields)));
    }

    @Test
    void aServerThatDoesNotWaitIsAskedFiveTimesASecond() {
        try (var server = serverOf("\"status\": \"RUNNING\"")) {
            var execution = server.client().executions().await("exec_1", Duration.ofSeconds(5));

            assertThat(execution.hasEnded()).isFalse();
            assertThat(server.calls().size()).isBetween(2, 27);
        }
    }

    @Test
    void anExecutionThatHasEndedInAStateOfALaterVersionIsNotWaitedFor() {
        try (var server = serverOf("\"status\": \"PARKED\", \"completed_at\": \"2026-11-20T10:41:01Z\"")) {
            var execution = server.client().executions().await("exec_1", Duration.ofSeconds(5));

            assertThat(execution.status()).isEqualTo(ExecutionStatus.UNKNOWN);
            assertThat(execution.hasEnded()).isTrue();
            assertThat(server.calls()).hasSize(1);
        }
    }

    @Test
    void aStateOfALaterVersionMayGoOn() {
        try (var server = serverOf("\"status\": \"PARKED\"")) {
            assertThat(server.client().executions().get("exec_1").hasEnded()).isFalse();
        }
    }
}
