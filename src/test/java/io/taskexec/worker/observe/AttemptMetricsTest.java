package io.taskexec.worker.observe;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.taskexec.model.delivery.DispatchRequest;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.delivery.StreamEntry;
import io.taskexec.model.job.Failure;
import io.taskexec.observe.metrics.Meters;
import io.taskexec.store.activity.ActivityCounts;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class AttemptMetricsTest {
    private static final Failure FAILURE = new Failure(Failure.Type.TIMEOUT, "late");

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final RecentAttempts recent = new RecentAttempts();
    private final AttemptMetrics metrics = new AttemptMetrics(
            Meters.of(registry), new EndpointMetrics(Meters.of(registry)), recent, new ActivityCounts());

    private double seconds(String outcome) {
        return registry.get("taskexec.attempt.duration")
                .tags("transport", "redis_stream", "outcome", outcome)
                .timer()
                .totalTime(TimeUnit.SECONDS);
    }

    @Test
    void aCallIsMeasuredByItsTransportAndOutcome() {
        var request = request();
        metrics.ended("mail", request, new Outcome.Succeeded(JsonNodeFactory.instance.nullNode()), 1_000_000_000L);
        metrics.ended("mail", request, new Outcome.RetryableFailure(FAILURE, null), 2_000_000_000L);
        metrics.ended("mail", request, new Outcome.PermanentFailure(FAILURE), 3_000_000_000L);
        metrics.ended("mail", request, new Outcome.Interrupted(), 4_000_000_000L);
        metrics.ended("mail", request, new Outcome.LeaseLost(), 6_000_000_000L);

        assertThat(seconds("success")).isEqualTo(1);
        assertThat(seconds("failed")).isEqualTo(5);
        assertThat(seconds("interrupted")).isEqualTo(4);
        assertThat(seconds("lost")).isEqualTo(6);
        assertThat(registry.get("taskexec.attempt.duration").timers()).hasSize(4);
        assertThat(recent.busiest(Map.of("mail", 2), 1)).singleElement().satisfies(mail -> {
            assertThat(mail.attempts())
                    .as("what was cut short says nothing of the receiver")
                    .isEqualTo(3);
            assertThat(mail.failures()).isEqualTo(2);
            assertThat(mail.running()).isEqualTo(2);
        });
    }

    @Test
    void whatWasNeverSentHasNoDuration() {
        metrics.ended("mail", request(), permanentFailure(Failure.Type.EGRESS_BLOCKED), 1);
        metrics.ended("mail", request(), permanentFailure(Failure.Type.INVALID_CONFIGURATION), 1);
        assertThat(registry.find("taskexec.attempt.duration").timers()).isEmpty();

        metrics.ended("mail", request(), permanentFailure(Failure.Type.STREAM_ERROR), 1_000_000_000L);
        assertThat(seconds("failed")).isEqualTo(1);
    }

    private static Outcome permanentFailure(Failure.Type type) {
        return new Outcome.PermanentFailure(new Failure(type, "no"));
    }

    private static DispatchRequest request() {
        return new StreamEntry("redis://localhost", "s", Map.of(), null, false, Duration.ofSeconds(1));
    }
}
