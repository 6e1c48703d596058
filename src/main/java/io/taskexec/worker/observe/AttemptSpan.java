package io.taskexec.worker.observe;

import io.taskexec.model.PublicId;
import io.taskexec.model.TraceContext;
import io.taskexec.model.delivery.Claim;
import io.taskexec.model.delivery.DispatchRequest;
import io.taskexec.model.delivery.HttpCall;
import io.taskexec.model.delivery.KafkaMessage;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.delivery.StreamEntry;
import io.taskexec.model.job.Failure;
import io.taskexec.observe.trace.EndedSpan;
import io.taskexec.observe.trace.EndedSpan.Kind;
import io.taskexec.observe.trace.EndedSpan.Link;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The span of one attempt while it is under way. Of its target it keeps what no secret can be in, the host and not the
 * path, or what they have been removed from.
 */
public final class AttemptSpan {
    private final Claim claim;
    private final TraceContext trace;
    private final Instant start = Instant.now();
    private final long startedAt = System.nanoTime();
    private final Map<String, Object> attributes = new LinkedHashMap<>();
    private Kind kind = Kind.INTERNAL;
    private String name;

    AttemptSpan(Claim claim, TraceContext trace) {
        this.claim = claim;
        this.trace = trace;
        this.name = "resolve " + claim.endpoint();
        attributes.put("taskexec.job_id", PublicId.JOB.show(claim.jobId()));
        attributes.put("taskexec.execution_id", PublicId.EXECUTION.show(claim.executionId()));
        attributes.put("taskexec.attempt", claim.attempt());
        attributes.put("taskexec.endpoint", claim.endpoint());
        attributes.put("taskexec.endpoint_version", claim.endpointVersion());
    }

    /** Called when the request is resolved. */
    public void sends(DispatchRequest request, UnaryOperator<String> redact) {
        switch (request) {
            case HttpCall call -> {
                kind = Kind.CLIENT;
                name = call.method() + " " + claim.endpoint();
                attributes.put("http.request.method", call.method());
                addServer(call.uri(), redact);
            }
            case KafkaMessage message -> addMessaging("kafka", redact.apply(message.topic()));
            case StreamEntry entry -> addMessaging("redis", redact.apply(entry.stream()));
        }
    }

    private void addServer(URI uri, UnaryOperator<String> redact) {
        attributes.put("url.scheme", String.valueOf(uri.getScheme()));
        attributes.put("server.address", redact.apply(String.valueOf(uri.getHost())));
        var port = uri.getPort();
        attributes.put("server.port", port >= 0 ? port : "https".equals(uri.getScheme()) ? 443 : 80);
    }

    private void addMessaging(String system, String destination) {
        kind = Kind.PRODUCER;
        name = "send " + destination;
        attributes.put("messaging.system", system);
        attributes.put("messaging.operation.type", "send");
        attributes.put("messaging.operation.name", "send");
        attributes.put("messaging.destination.name", destination);
        attributes.put("messaging.message.id", PublicId.EXECUTION.show(claim.executionId()));
    }

    /** The attempt is over; null when none was made. */
    @Nullable
    EndedSpan ended(Outcome outcome) {
        return switch (outcome) {
            case Outcome.Deferred _ -> span("deferred", null);
            case Outcome.StillDeferred _,
                    Outcome.Postponed _,
                    Outcome.Limited _,
                    Outcome.Expired _,
                    Outcome.Skipped _,
                    Outcome.Recorded _ -> null;
            case Outcome.Succeeded(var output) -> {
                if (output.hasNonNull("status_code")) {
                    attributes.put(
                            "http.response.status_code",
                            output.path("status_code").intValue());
                }
                yield span("succeeded", null);
            }
            case Outcome.RetryableFailure(var failure, var _) -> failed("retryable_failure", failure);
            case Outcome.PermanentFailure(var failure, var _, var _) -> failed("permanent_failure", failure);
            case Outcome.Interrupted(var preempted) ->
                span("interrupted", preempted ? "gave up its slot" : "cut short by a shutdown");
            case Outcome.LeaseLost _ -> span("lease_lost", "the lease was lost");
        };
    }

    private EndedSpan failed(String outcome, Failure failure) {
        if (failure.statusCode() != null) {
            attributes.put("http.response.status_code", failure.statusCode());
        }
        attributes.put("error.type", failure.type().name().toLowerCase(Locale.ROOT));
        return span(outcome, failure.message());
    }

    private EndedSpan span(String outcome, @Nullable String error) {
        attributes.put("taskexec.outcome", outcome);
        return new EndedSpan(
                trace.traceId(),
                TraceContext.spanId(claim.executionId(), claim.attempt()),
                isOfRequest() ? trace.parentId() : null,
                trace.state(),
                kind,
                name,
                start,
                Duration.ofNanos(System.nanoTime() - startedAt),
                attributes,
                links(),
                error);
    }

    /**
     * Ticks and repetitions come from the request, but are no part of it; what has no trace of its own comes from none.
     */
    private boolean isOfRequest() {
        return claim.trace() != null && claim.executionId().equals(claim.jobId());
    }

    private List<Link> links() {
        var links = new ArrayList<Link>(1);
        if (claim.attempt() > 1) {
            links.add(new Link(trace.traceId(), TraceContext.spanId(claim.executionId(), claim.attempt() - 1)));
        }
        if (claim.trace() != null && !isOfRequest()) {
            links.add(new Link(trace.traceId(), trace.parentId()));
        }
        return links;
    }
}
