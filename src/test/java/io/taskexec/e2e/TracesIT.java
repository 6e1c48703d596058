package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Span.SpanKind;
import io.restassured.http.ContentType;
import io.taskexec.testing.Answer;
import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.HostClock;
import io.taskexec.testing.OtlpRequest;
import io.taskexec.testing.Program;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerDb;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests the spans of a request, its job and its attempts at a collector. */
class TracesIT {
    private static final Duration BOUND = Duration.ofSeconds(20);
    private static final String CALLER = "b7ad6b7169203331";
    private static final int MANY = 20;

    private static final Receiver collector = new Receiver();
    private static final Receiver receiver = new Receiver();
    private static Program program;
    private static Api api;

    @BeforeAll
    static void start() throws InterruptedException {
        program = Program.serving(ServerDb.fresh(TracesIT.class))
                .with("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:" + collector.port())
                // What waited for a collector that does not answer would wait for longer than BOUND.
                .with("OTEL_EXPORTER_OTLP_TIMEOUT", "30000")
                .startReady();
        api = program.api();
        api.endpoint("traced", receiver.uri("/secret-path"), Map.of("max_attempts", 2, "initial_delay_ms", 1));
    }

    @AfterAll
    static void stop() {
        program.close();
        receiver.close();
        collector.close();
    }

    @BeforeEach
    void forget() {
        collector.answer(Answer.of(200, "{}"));
        receiver.answer(Answer.of(200, "{}"));
        receiver.clear();
    }

    /** Creates a job in this trace and waits for the end of its execution. */
    private static String deliver(String trace, String flags) throws InterruptedException {
        var created = api.request()
                .contentType(ContentType.JSON)
                .header("traceparent", "00-" + trace + "-" + CALLER + "-" + flags)
                .body(Api.immediateJob("traced", trace))
                .post("/jobs");
        assertThat(created.statusCode()).isEqualTo(201);
        var execution = created.jsonPath().getString("execution.execution_id");
        assertThat(api.ended(execution).getString("status")).isEqualTo("SUCCESS");
        return execution;
    }

    /** All spans of a trace that have come so far, in the order in which they began. */
    private static List<Span> spans(String trace) {
        return collector.requests().stream()
                .flatMap(OtlpRequest::spans)
                .filter(span -> OtlpRequest.id(span.getTraceId()).equals(trace))
                .sorted(Comparator.comparingLong(Span::getStartTimeUnixNano))
                .toList();
    }

    private static @Nullable String attribute(Span span, String name) {
        return OtlpRequest.attributes(span.getAttributesList()).get(name);
    }

    @Test
    void aRequestItsAttemptsAndTheirReceiverAreOneTrace() throws InterruptedException {
        var trace = "0af7651916cd43dd8448eb211c80319c";
        receiver.answer(_ -> Answer.of(receiver.requests().size() > 1 ? 200 : 503, "{}"));
        var execution = deliver(trace, "01");

        var spans = Eventually.await("all have come", BOUND, () -> spans(trace), found -> found.size() == 3);

        var request = spans.get(0);
        assertThat(request.getKind()).isEqualTo(SpanKind.SPAN_KIND_SERVER);
        assertThat(OtlpRequest.id(request.getParentSpanId())).isEqualTo(CALLER);
        assertThat(request.getName()).isEqualTo("POST /jobs");
        assertThat(attribute(request, "http.response.status_code")).isEqualTo("201");
        assertThat(attribute(request, "taskexec.job_id")).isEqualTo(execution.replace("exec_", "job_"));
        var attempts = spans.subList(1, 3);
        assertThat(attempts).allSatisfy(attempt -> {
            assertThat(attempt.getKind()).isEqualTo(SpanKind.SPAN_KIND_CLIENT);
            assertThat(attempt.getParentSpanId()).isEqualTo(request.getSpanId());
            assertThat(attribute(attempt, "taskexec.execution_id")).isEqualTo(execution);
            assertThat(attempt.toString()).doesNotContain("secret-path");
        });
        assertThat(attempts)
                .extracting(attempt -> attribute(attempt, "http.response.status_code"))
                .containsExactly("503", "200");
        assertThat(attempts)
                .extracting(attempt -> attribute(attempt, "taskexec.outcome"))
                .containsExactly("retryable_failure", "succeeded");
        assertThat(attempts.getLast().getLinks(0).getSpanId())
                .isEqualTo(attempts.getFirst().getSpanId());
        assertThat(receiver.requests())
                .extracting(received -> received.headers().get("traceparent"))
                .containsExactlyElementsOf(attempts.stream()
                        .map(attempt -> "00-" + trace + "-" + OtlpRequest.id(attempt.getSpanId()) + "-01")
                        .toList());
    }

    @Test
    void whatTheCallerDoesNotRecordIsNotRecorded() throws InterruptedException {
        var not = "11111111111111111111111111111111";
        var recorded = "22222222222222222222222222222222";
        var _ = deliver(not, "00");
        var _ = deliver(recorded, "01");

        var _ = Eventually.await("the next one has come", BOUND, () -> spans(recorded), found -> found.size() == 2);
        assertThat(spans(not)).isEmpty();
        assertThat(receiver.requests().getFirst().headers().get("traceparent")).endsWith("-00");
    }

    @Test
    void aRequestWithoutATraceBeginsOneThatItsJobShows() throws InterruptedException {
        var created = api.post("/jobs", Api.immediateJob("traced", "untraced")).jsonPath();

        var spans = Eventually.await(
                "both have come", BOUND, () -> spans(created.getString("trace_id")), found -> found.size() == 2);

        assertThat(spans.getFirst().getParentSpanId().isEmpty()).isTrue();
        assertThat(spans.getLast().getParentSpanId()).isEqualTo(spans.getFirst().getSpanId());
    }

    @Test
    void aCollectorThatDoesNotAnswerHoldsNothingUp() throws Exception {
        var never = new CompletableFuture<Void>();
        collector.answer(Answer.of(200, "{}").after(never));
        try {
            var before = HostClock.nanos();
            var executions = IntStream.range(0, MANY)
                    .mapToObj(i -> api.immediate("traced", "stalled-" + i))
                    .toList();
            assertThat(receiver.awaitCount(MANY, BOUND)).hasSize(MANY);
            for (var execution : executions) {
                assertThat(api.ended(execution).getString("status")).isEqualTo("SUCCESS");
            }
            assertThat(HostClock.since(before)).isLessThan(BOUND);
            assertThat(program.manage("/q/health/ready").statusCode()).isEqualTo(200);
            assertThat(program.manage("/q/metrics").body()).contains("taskexec_spans_dropped_total 0.0");
        } finally {
            never.complete(null);
        }
    }
}
