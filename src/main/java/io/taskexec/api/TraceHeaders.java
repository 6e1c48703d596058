package io.taskexec.api;

import io.taskexec.model.TraceContext;
import java.util.List;
import org.jboss.resteasy.reactive.RestHeader;
import org.jspecify.annotations.Nullable;

/** The headers by which a request belongs to a trace. Those that are malformed are ignored. */
class TraceHeaders {
    static final String PARENT = "traceparent";
    static final String STATE = "tracestate";

    @RestHeader(PARENT)
    List<String> parents = List.of();

    @RestHeader(STATE)
    List<String> states = List.of();

    @Nullable
    TraceContext read() {
        return TraceContext.of(parents, states);
    }
}
