package io.taskexec.api.web;

import io.taskexec.model.TraceContext;
import jakarta.ws.rs.container.ContainerRequestContext;
import java.util.List;
import org.jboss.resteasy.reactive.RestHeader;
import org.jspecify.annotations.Nullable;

/** The headers by which a request belongs to a trace. Those that are malformed are ignored. */
public class TraceHeaders {
    public static final String PARENT = "traceparent";
    public static final String STATE = "tracestate";

    @RestHeader(PARENT)
    List<String> parents = List.of();

    @RestHeader(STATE)
    List<String> states = List.of();

    @Nullable
    public TraceContext read() {
        return TraceContext.of(parents, states);
    }

    /** Those of any request. */
    public static @Nullable TraceContext of(ContainerRequestContext request) {
        var headers = request.getHeaders();
        return TraceContext.of(headers.getOrDefault(PARENT, List.of()), headers.getOrDefault(STATE, List.of()));
    }
}
