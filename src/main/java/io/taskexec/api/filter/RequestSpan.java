package io.taskexec.api.filter;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.TraceContext;
import io.taskexec.observe.trace.EndedSpan;
import io.taskexec.observe.trace.Tracing;
import io.taskexec.request.ErrorMapping;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The span of one request that creates jobs: what they continue. */
public final class RequestSpan {
    private static final int SERVER_ERROR = 500;

    private final Tracing tracing;
    private final String method;
    private final String route;
    private final TraceContext own;
    private final @Nullable String parentId;
    private final Instant start = Instant.now();
    private final long startedAt = System.nanoTime();

    /** @param own the trace as what this creates sees it */
    RequestSpan(Tracing tracing, String method, String route, TraceContext own, @Nullable String parentId) {
        this.tracing = tracing;
        this.method = method;
        this.route = route;
        this.own = own;
        this.parentId = parentId;
    }

    /**
     * Does {@code work} within the span, which ends with it.
     *
     * @param describe adds to the attributes what an answer tells
     */
    public <T> Uni<T> around(Function<TraceContext, Uni<T>> work, BiConsumer<T, Map<String, Object>> describe) {
        return Uni.createFrom()
                .deferred(() -> work.apply(own))
                .invoke(answer -> end(attributes -> describe.accept(answer, attributes), null))
                .onFailure()
                .invoke(this::fail);
    }

    private void fail(Throwable failure) {
        var error = ErrorMapping.explain(failure);
        end(
                attributes -> {
                    attributes.put("http.response.status_code", error.code().status());
                    attributes.put("error.type", error.code().name());
                },
                error.code().status() >= SERVER_ERROR ? String.valueOf(error.getMessage()) : null);
    }

    private void end(Consumer<Map<String, Object>> describe, @Nullable String error) {
        if (!own.sampled()) {
            return;
        }
        var attributes = new LinkedHashMap<String, Object>();
        attributes.put("http.request.method", method);
        attributes.put("http.route", route);
        attributes.put("url.scheme", "http");
        describe.accept(attributes);
        tracing.record(new EndedSpan(
                own.traceId(),
                own.parentId(),
                parentId,
                own.state(),
                EndedSpan.Kind.SERVER,
                method + " " + route,
                start,
                Duration.ofNanos(System.nanoTime() - startedAt),
                attributes,
                List.of(),
                error));
    }
}
