package io.taskexec.api.filter;

import io.taskexec.model.TraceContext;
import io.taskexec.observe.trace.Tracing;
import jakarta.inject.Singleton;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** Records the requests that create jobs as spans, those of traces that are recorded. */
@Singleton
public final class RequestSpans {
    private final Tracing tracing;

    RequestSpans(Tracing tracing) {
        this.tracing = tracing;
    }

    /**
     * A request begins; returns null while there is no collector. One that comes without a trace begins one.
     *
     * @param route such as {@code /jobs/{id}}
     */
    @Nullable
    public RequestSpan begin(String method, String route, @Nullable TraceContext caller) {
        if (!tracing.isOn()) {
            return null;
        }
        var traceId = caller == null ? random() + random() : caller.traceId();
        var sampled = caller == null ? tracing.samples(traceId) : caller.sampled();
        var own = new TraceContext(traceId, random(), sampled, caller == null ? null : caller.state());
        return new RequestSpan(tracing, method, route, own, caller == null ? null : caller.parentId());
    }

    private static String random() {
        return HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE));
    }
}
