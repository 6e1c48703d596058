package io.taskexec.worker.observe;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.taskexec.model.TraceContext;
import io.taskexec.model.delivery.Claim;
import io.taskexec.model.delivery.HttpCall;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.delivery.StreamEntry;
import io.taskexec.model.job.Failure;
import io.taskexec.observe.trace.EndedSpan;
import io.taskexec.observe.trace.EndedSpan.Kind;
import io.taskexec.observe.trace.EndedSpan.Link;
import io.taskexec.testing.NewClaim;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class AttemptSpanTest {
    private static final UUID JOB = UUID.fromString("01a1f88c-d314-7000-bf8f-b310aee6c296");
    private static final UUID TICK = UUID.fromString("01a1f88c-d314-8000-bf8f-b310aee6c297");
    private static final TraceContext TRACE =
            new TraceContext("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331", true, "a=1");
    private static final Outcome SUCCESS =
            new Outcome.Succeeded(JsonNodeFactory.instance.objectNode().put("status_code", 201));
    private static final HttpCall CALL = new HttpCall(
            URI.create("https://key.example.org/token-1234"),
            "PUT",
            Map.of("Authorization", "Bearer token-1234"),
            "{}",
            Duration.ofSeconds(1),
            List.of(200));

    private static String redact(String text) {
        return text.replace("key", "[redacted]");
    }

    private static Claim claim(UUID execution, int attempt, @Nullable TraceContext trace) {
        return new NewClaim()
                .ids(execution, JOB)
                .attempt(attempt)
                .endpoint("e")
                .version(3)
                .trace(trace)
                .claimed();
    }

    private static EndedSpan ended(Claim claim, Outcome outcome) {
        var span = new AttemptSpan(claim, TRACE);
        span.sends(CALL, AttemptSpanTest::redact);
        return Objects.requireNonNull(span.ended(outcome));
    }

    @Test
    void aCallIsPartOfTheRequestThatCreatedItsJob() {
        var span = ended(claim(JOB, 1, TRACE), SUCCESS);

        assertThat(span.traceId()).isEqualTo(TRACE.traceId());
        assertThat(span.parentId()).isEqualTo(TRACE.parentId());
        assertThat(span.spanId()).isEqualTo(TraceContext.spanId(JOB, 1));
        assertThat(span.state()).isEqualTo("a=1");
        assertThat(span.kind()).isEqualTo(Kind.CLIENT);
        assertThat(span.name()).isEqualTo("PUT e");
        assertThat(span.links()).isEmpty();
        assertThat(span.error()).isNull();
        assertThat(span.attributes())
                .containsEntry("http.request.method", "PUT")
                .containsEntry("http.response.status_code", 201)
                .containsEntry("url.scheme", "https")
                .containsEntry("server.port", 443)
                .containsEntry("taskexec.job_id", "job_01a1f88cd3147000bf8fb310aee6c296")
                .containsEntry("taskexec.execution_id", "exec_01a1f88cd3147000bf8fb310aee6c296")
                .containsEntry("taskexec.attempt", 1)
                .containsEntry("taskexec.endpoint", "e")
                .containsEntry("taskexec.endpoint_version", 3)
                .containsEntry("taskexec.outcome", "succeeded");
    }

    @Test
    void ofTheTargetItShowsTheHostWithoutSecretsAndNoPath() {
        var span = ended(claim(JOB, 1, TRACE), SUCCESS);

        assertThat(span.attributes()).containsEntry("server.address", "[redacted].example.org");
        assertThat(span.toString()).doesNotContain("token-1234");
    }

    @Test
    void aRetryIsLinkedToTheAttemptBefore() {
        var failure = new Failure(Failure.Type.HTTP_ERROR, "HTTP 503", 503, "busy");
        var span = ended(claim(JOB, 2, TRACE), new Outcome.RetryableFailure(failure, null));

        assertThat(span.links()).containsExactly(new Link(TRACE.traceId(), TraceContext.spanId(JOB, 1)));
        assertThat(span.error()).isEqualTo("HTTP 503");
        assertThat(span.attributes())
                .containsEntry("http.response.status_code", 503)
                .containsEntry("error.type", "http_error")
                .containsEntry("taskexec.outcome", "retryable_failure");
    }

    @Test
    void aTickIsLinkedToTheRequestThatMadeTheSchedule() {
        var span = ended(claim(TICK, 1, TRACE), SUCCESS);

        assertThat(span.parentId()).isNull();
        assertThat(span.links()).containsExactly(new Link(TRACE.traceId(), TRACE.parentId()));
    }

    @Test
    void anExecutionWithoutARequestIsTheFirstOfItsTrace() {
        var span = ended(claim(JOB, 1, null), SUCCESS);

        assertThat(span.parentId()).isNull();
        assertThat(span.links()).isEmpty();
    }

    @Test
    void aMessageIsSent() {
        var span = new AttemptSpan(claim(JOB, 1, TRACE), TRACE);
        span.sends(
                new StreamEntry("redis://host", "orders-key", Map.of(), null, false, Duration.ofSeconds(1)),
                AttemptSpanTest::redact);
        var ended = Objects.requireNonNull(span.ended(new Outcome.Succeeded(JsonNodeFactory.instance.objectNode())));

        assertThat(ended.kind()).isEqualTo(Kind.PRODUCER);
        assertThat(ended.name()).isEqualTo("send orders-[redacted]");
        assertThat(ended.attributes())
                .containsEntry("messaging.system", "redis")
                .containsEntry("messaging.destination.name", "orders-[redacted]")
                .containsEntry("messaging.operation.type", "send")
                .doesNotContainKey("http.response.status_code");
    }

    @Test
    void whatWasNotResolvedSentNothing() {
        var failure = new Failure(Failure.Type.TEMPLATE_RESOLUTION_FAILED, "no such input");
        var span = Objects.requireNonNull(
                new AttemptSpan(claim(JOB, 1, TRACE), TRACE).ended(new Outcome.PermanentFailure(failure)));

        assertThat(span.kind()).isEqualTo(Kind.INTERNAL);
        assertThat(span.name()).isEqualTo("resolve e");
        assertThat(span.attributes()).containsEntry("taskexec.outcome", "permanent_failure");
    }

    @Test
    void whatWasNotBegunIsNoSpan() {
        assertThat(new AttemptSpan(claim(JOB, 1, TRACE), TRACE).ended(new Outcome.Postponed(Duration.ZERO)))
                .isNull();
    }
}
