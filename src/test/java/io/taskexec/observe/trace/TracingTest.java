package io.taskexec.observe.trace;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.taskexec.loop.LoopTimer;
import io.taskexec.model.Json;
import io.taskexec.testing.Answer;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Receiver;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TracingTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final Instant START = Instant.parse("2026-11-21T01:29:45.000000123Z");
    private static final Receiver collector = new Receiver();

    private final LoopTimer timer = new LoopTimer();
    private final MeterRegistry metrics = new SimpleMeterRegistry();
    private final Tracing tracing = TestTracing.with(
            Map.of(
                    "OTEL_EXPORTER_OTLP_ENDPOINT", collector.uri("/").toString(),
                    "OTEL_EXPORTER_OTLP_HEADERS", "x-token=a%3Db, other=1",
                    "OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test",
                    "OTEL_SERVICE_NAME", "mine"),
            timer,
            metrics);

    @BeforeEach
    void forget() {
        collector.clear();
        collector.answer(Answer.of(200, "{}"));
    }

    @AfterEach
    void close() {
        timer.close();
    }

    @AfterAll
    static void closeCollector() {
        collector.close();
    }

    private static Span span(int number) {
        return new Span(
                TRACE,
                "%016x".formatted(number),
                "b7ad6b7169203331",
                "a=1",
                Span.Kind.CLIENT,
                "POST e",
                START,
                Duration.ofMillis(2),
                Map.of("http.request.method", "POST", "http.response.status_code", 503),
                List.of(new Span.Link(TRACE, "00000000000000ff")),
                "it broke");
    }

    private double count(String name) {
        return metrics.get(name).counter().count();
    }

    private static JsonNode only(JsonNode array) {
        assertThat(array).hasSize(1);
        return array.get(0);
    }

    @Test
    void spansAreSentTheWayOtlpHasThem() throws InterruptedException, JsonProcessingException {
        tracing.start();
        tracing.record(span(1));

        var request = collector.awaitCount(1, PATIENCE).getFirst();
        assertThat(request.method() + " " + request.path()).isEqualTo("POST /v1/traces");
        assertThat(request.headers())
                .containsEntry("content-type", "application/json")
                .containsEntry("x-token", "a=b")
                .containsEntry("other", "1");
        var resource = only(Json.parse(request.body()).path("resourceSpans"));
        assertThat(resource.path("resource").path("attributes").toString())
                .contains(
                        "{\"key\":\"service.name\",\"value\":{\"stringValue\":\"mine\"}}",
                        "{\"key\":\"service.version\",\"value\":{\"stringValue\":\"1.2.3\"}}",
                        "{\"key\":\"deployment.environment.name\",\"value\":{\"stringValue\":\"test\"}}");
        var span = only(only(resource.path("scopeSpans")).path("spans"));
        assertThat(span.path("traceId").asText()).isEqualTo(TRACE);
        assertThat(span.path("spanId").asText()).isEqualTo("0000000000000001");
        assertThat(span.path("parentSpanId").asText()).isEqualTo("b7ad6b7169203331");
        assertThat(span.path("traceState").asText()).isEqualTo("a=1");
        assertThat(span.path("kind").asInt()).isEqualTo(3);
        assertThat(span.path("startTimeUnixNano").asText()).isEqualTo("1795224585000000123");
        assertThat(span.path("endTimeUnixNano").asText()).isEqualTo("1795224585002000123");
        assertThat(span.path("attributes").toString())
                .contains("{\"key\":\"http.response.status_code\",\"value\":{\"intValue\":\"503\"}}");
        assertThat(only(span.path("links")).path("spanId").asText()).isEqualTo("00000000000000ff");
        assertThat(span.path("status").toString()).isEqualTo("{\"code\":2,\"message\":\"it broke\"}");
        Eventually.await("it counts", PATIENCE, () -> count("taskexec.spans.exported") == 1);
    }

    @Test
    void withoutACollectorNothingIsKept() {
        var unmeasured = new SimpleMeterRegistry();
        var off = TestTracing.with(Map.of("OTEL_TRACES_SAMPLER", "always_on"), timer, unmeasured);
        off.start();

        assertThat(off.isOn()).isFalse();
        for (var i = 0; i <= SpanQueue.CAPACITY; i++) {
            off.record(span(i));
        }
        assertThat(off.samples(TRACE)).isFalse();
        assertThat(unmeasured.getMeters()).isEmpty();
        off.stop().await().atMost(PATIENCE);
        assertThat(collector.requests()).isEmpty();
    }

    @Test
    void whatIsNotTakenForNowIsSentAgain() throws InterruptedException {
        collector.answer(request -> Answer.of(collector.requests().size() > 1 ? 200 : 503, "{}"));
        tracing.record(span(1));
        tracing.start();

        var requests = collector.awaitCount(2, PATIENCE);

        assertThat(requests.get(1).body()).isEqualTo(requests.get(0).body());
        Eventually.await("it counts", PATIENCE, () -> count("taskexec.spans.exported") == 1);
        assertThat(count("taskexec.spans.dropped")).isZero();
    }

    @Test
    void whatIsRefusedIsCountedAndNotSentAgain() throws InterruptedException {
        collector.answer(Answer.of(400, "{}"));
        tracing.record(span(1));
        tracing.record(span(2));
        tracing.start();
        Eventually.await("it counts", PATIENCE, () -> count("taskexec.spans.dropped") == 2);

        collector.answer(Answer.of(200, "{\"partialSuccess\":{\"rejectedSpans\":\"1\"}}"));
        tracing.record(span(3));
        tracing.record(span(4));

        Eventually.await("it counts", PATIENCE, () -> count("taskexec.spans.dropped") == 3);
        assertThat(count("taskexec.spans.exported")).isEqualTo(1);
    }

    @Test
    void whatFindsNoRoomIsCountedAndTheRestIsSentAtTheEnd() {
        for (var i = 0; i < SpanQueue.CAPACITY + 3; i++) {
            tracing.record(span(i));
        }
        assertThat(count("taskexec.spans.dropped")).isEqualTo(3);

        tracing.stop().await().atMost(PATIENCE);

        assertThat(count("taskexec.spans.exported")).isEqualTo(SpanQueue.CAPACITY);
    }

    @Test
    void theEndDoesNotWaitForACollectorThatDoesNotAnswer() {
        collector.answer(Answer.of(200, "{}").after(new CompletableFuture<>()));
        tracing.record(span(1));
        var asked = System.nanoTime();

        tracing.stop().await().atMost(PATIENCE);

        assertThat(Duration.ofNanos(System.nanoTime() - asked)).isLessThan(Duration.ofSeconds(8));
        assertThat(count("taskexec.spans.dropped")).isEqualTo(1);
    }
}
