package io.taskexec.observe.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.opentelemetry.proto.trace.v1.Span.SpanKind;
import io.opentelemetry.proto.trace.v1.Status.StatusCode;
import io.taskexec.loop.LoopTimer;
import io.taskexec.testing.Answer;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.OtlpRequest;
import io.taskexec.testing.Received;
import io.taskexec.testing.Receiver;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TracingTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final Instant START = Instant.parse("2026-11-21T01:29:45.000000123Z");
    private static final Receiver collector = new Receiver();

    private static final Map<String, String> SETTINGS = Map.of(
            "OTEL_EXPORTER_OTLP_ENDPOINT", collector.uri("/").toString(),
            "OTEL_EXPORTER_OTLP_HEADERS", "x-token=a%3Db, other=1",
            "OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test",
            "OTEL_SERVICE_NAME", "mine");

    private final LoopTimer timer = new LoopTimer();
    private final MeterRegistry metrics = new SimpleMeterRegistry();
    private final Tracing tracing = tracing(Map.of());

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

    private static EndedSpan span(int number) {
        return new EndedSpan(
                TRACE,
                "%016x".formatted(number),
                "b7ad6b7169203331",
                "a=1,b=2",
                EndedSpan.Kind.CLIENT,
                "POST e",
                START,
                Duration.ofMillis(2),
                Map.of("http.request.method", "POST", "http.response.status_code", 503),
                List.of(new EndedSpan.Link(TRACE, "00000000000000ff")),
                "it broke");
    }

    private double count(String name) {
        return metrics.get(name).counter().count();
    }

    private static void isAsRecorded(Received request) {
        var resource = only(OtlpRequest.parse(request).getResourceSpansList());
        assertThat(OtlpRequest.attributes(resource.getResource().getAttributesList()))
                .containsEntry("service.name", "mine")
                .containsEntry("service.version", "1.2.3")
                .containsEntry("deployment.environment.name", "test")
                .containsKey("service.instance.id");
        var scope = only(resource.getScopeSpansList());
        assertThat(scope.getScope().getName()).isEqualTo("io.taskexec");
        var span = only(scope.getSpansList());
        assertThat(OtlpRequest.id(span.getTraceId())).isEqualTo(TRACE);
        assertThat(OtlpRequest.id(span.getSpanId())).isEqualTo("0000000000000001");
        assertThat(OtlpRequest.id(span.getParentSpanId())).isEqualTo("b7ad6b7169203331");
        assertThat(span.getTraceState()).isEqualTo("a=1,b=2");
        assertThat(span.getName()).isEqualTo("POST e");
        assertThat(span.getKind()).isEqualTo(SpanKind.SPAN_KIND_CLIENT);
        assertThat(span.getStartTimeUnixNano()).isEqualTo(1795224585000000123L);
        assertThat(span.getEndTimeUnixNano()).isEqualTo(1795224585002000123L);
        assertThat(OtlpRequest.attributes(span.getAttributesList()))
                .containsOnly(Map.entry("http.request.method", "POST"), Map.entry("http.response.status_code", "503"));
        assertThat(OtlpRequest.id(only(span.getLinksList()).getSpanId())).isEqualTo("00000000000000ff");
        assertThat(span.getStatus().getCode()).isEqualTo(StatusCode.STATUS_CODE_ERROR);
        assertThat(span.getStatus().getMessage()).isEqualTo("it broke");
    }

    private static <T> T only(List<T> list) {
        assertThat(list).hasSize(1);
        return list.getFirst();
    }

    @Test
    void spansAreSentTheWayOtlpHasThem() throws InterruptedException {
        tracing.start();
        tracing.record(span(1));

        var request = collector.awaitCount(1, PATIENCE).getFirst();
        assertThat(request.method() + " " + request.path()).isEqualTo("POST /v1/traces");
        assertThat(request.headers())
                .containsEntry("content-type", "application/x-protobuf")
                .containsEntry("x-token", "a=b")
                .containsEntry("other", "1");
        isAsRecorded(request);
        Eventually.await("it counts", PATIENCE, () -> count("taskexec.spans.exported") == 1);
    }

    private Tracing tracing(Map<String, String> more) {
        var settings = new HashMap<>(SETTINGS);
        settings.putAll(more);
        return TestTracing.with(settings, timer, metrics);
    }

    private static Answer overGrpc(int status) {
        return Answer.of(200, "")
                .with("content-type", "application/grpc")
                .with(Buffer.buffer(new byte[5]))
                .withTrailers(Map.of("grpc-status", Integer.toString(status)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "gzip"})
    void spansAreSentOverGrpcToo(String compression) throws InterruptedException {
        collector.answer(overGrpc(0));
        var grpc =
                tracing(Map.of("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", "OTEL_EXPORTER_OTLP_COMPRESSION", compression));
        grpc.start();
        grpc.record(span(1));

        var request = collector.awaitCount(1, PATIENCE).getFirst();
        assertThat(request.path()).isEqualTo("/opentelemetry.proto.collector.trace.v1.TraceService/Export");
        assertThat(request.headers()).containsEntry("x-token", "a=b").containsEntry("te", "trailers");
        assertThat(request.header("grpc-encoding")).isEqualTo(compression.equals("gzip") ? "gzip" : null);
        isAsRecorded(request);
        Eventually.await("it counts", PATIENCE, () -> count("taskexec.spans.exported") == 1);
        grpc.stop().await().atMost(PATIENCE);
    }

    @Test
    void whatACollectorOverGrpcRefusesIsSentAgainOrCounted() throws InterruptedException {
        var unavailable = overGrpc(14);
        var headAlone =
                Answer.of(200, "").with("content-type", "application/grpc").with("grpc-status", "3");
        collector.answer(_ -> switch (collector.requests().size()) {
            case 1 -> unavailable;
            case 2 -> Answer.of(503, "a proxy without a server");
            default -> headAlone;
        });
        var grpc = tracing(Map.of("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"));
        grpc.record(span(1));
        grpc.start();

        var requests = collector.awaitCount(3, PATIENCE);

        assertThat(requests)
                .extracting(Received::bytes)
                .containsOnly(requests.getFirst().bytes());
        Eventually.await("it counts", PATIENCE, () -> count("taskexec.spans.dropped") == 1);
        assertThat(count("taskexec.spans.exported")).isZero();
        grpc.stop().await().atMost(PATIENCE);
    }

    @Test
    void requestsAreCompressedWhenAsked() throws InterruptedException {
        var packed = tracing(Map.of("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip"));
        packed.start();
        packed.record(span(1));

        var request = collector.awaitCount(1, PATIENCE).getFirst();

        assertThat(request.header("content-encoding")).isEqualTo("gzip");
        isAsRecorded(request);
        packed.stop().await().atMost(PATIENCE);
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

        assertThat(requests.get(1).bytes()).isEqualTo(requests.get(0).bytes());
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

        collector.answer(Answer.of(200, "{}"));
        tracing.record(span(3));

        Eventually.await("it counts", PATIENCE, () -> count("taskexec.spans.exported") == 1);
        assertThat(count("taskexec.spans.dropped")).isEqualTo(2);
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
