package io.taskexec.dispatch.delivery;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.taskexec.model.PublicId;
import io.taskexec.model.TraceContext;
import io.taskexec.model.delivery.Delivery;
import io.taskexec.model.delivery.DeliveryExtras.CloudEvent;
import io.taskexec.model.delivery.Signer;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes the headers of a delivery, the same on every transport: its ids, by which a receiver can make one that arrives
 * twice take effect once, its trace, its attributes as a CloudEvent and its signature.
 */
public final class DeliveryHeaders {
    /** Those of a plain delivery, and those that HTTP adds. */
    private static final int USUAL_SIZE = 8;

    private static final byte[] NO_BODY = {};

    private final Map<String, String> values = LinkedHashMap.newLinkedHashMap(USUAL_SIZE);
    private final Delivery delivery;
    private final String execution;

    private DeliveryHeaders(Delivery delivery) {
        this.delivery = delivery;
        this.execution = PublicId.EXECUTION.show(delivery.executionId());
    }

    /**
     * Returns names to values, in the order they are sent; a transport may add its own.
     *
     * @param body the text that a signature covers; null for nothing
     */
    public static Map<String, String> of(Delivery delivery, @Nullable String body, CloudEventBinding binding) {
        var headers = new DeliveryHeaders(delivery);
        headers.addIds();
        headers.addTrace();
        var extras = delivery.extras();
        if (extras.event() != null) {
            headers.addEvent(extras.event(), binding);
        }
        if (extras.signer() != null) {
            headers.addSignature(extras.signer(), body);
        }
        return headers.values;
    }

    private void addIds() {
        values.put("Idempotency-Key", execution);
        values.put("Taskexec-Execution-Id", execution);
        values.put("Taskexec-Job-Id", PublicId.JOB.show(delivery.jobId()));
        values.put("Taskexec-Attempt", Integer.toString(delivery.attempt()));
        values.put("Taskexec-Scheduled-For", delivery.scheduledFor().toString());
        var callbackUrl = delivery.callbackUrl();
        if (callbackUrl != null) {
            values.put("Taskexec-Callback-Url", callbackUrl);
        }
    }

    /** Each attempt is a span of its own. */
    private void addTrace() {
        var trace = delivery.trace() == null ? TraceContext.ofExecution(execution) : delivery.trace();
        var span = TraceContext.spanId(delivery.executionId(), delivery.attempt());
        values.put("traceparent", TraceContext.traceparent(trace.traceId(), span, trace.sampled()));
        if (trace.state() != null) {
            values.put("tracestate", trace.state());
        }
    }

    /** The attributes of CloudEvents 1.0, and those of its extension for distributed tracing. */
    private void addEvent(CloudEvent event, CloudEventBinding binding) {
        binding.put(values, "specversion", "1.0");
        binding.put(values, "id", execution);
        binding.put(values, "source", event.source());
        binding.put(values, "type", event.type());
        binding.put(values, "time", delivery.scheduledFor().toString());
        binding.put(values, "subject", PublicId.JOB.show(delivery.jobId()));
        binding.put(values, "traceparent", values.getOrDefault("traceparent", ""));
        var state = values.get("tracestate");
        if (state != null) {
            binding.put(values, "tracestate", state);
        }
    }

    private void addSignature(Signer signer, @Nullable String body) {
        var timestamp = Instant.now().getEpochSecond();
        values.put("webhook-id", execution);
        values.put("webhook-timestamp", Long.toString(timestamp));
        values.put(
                "webhook-signature", signer.sign(execution, timestamp, body == null ? NO_BODY : body.getBytes(UTF_8)));
    }
}
