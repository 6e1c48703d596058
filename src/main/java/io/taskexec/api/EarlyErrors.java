package io.taskexec.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.vertx.ext.web.RoutingContext;
import jakarta.inject.Singleton;

/** Answers with the API's error body what is refused before the request gets to a resource. */
@Singleton
final class EarlyErrors {
    private final ObjectMapper mapper;

    EarlyErrors(ObjectMapper mapper) {
        this.mapper = mapper;
    }

    void write(RoutingContext context, ApiException error) {
        var requestId = RequestId.chosen(context.request().getHeader(RequestId.HEADER));
        context.response()
                .setStatusCode(error.code().status())
                .putHeader("Content-Type", "application/json;charset=UTF-8")
                .putHeader(RequestId.HEADER, requestId);
        var _ = context.response().end(json(ErrorBody.of(error, requestId)));
    }

    private String json(ErrorBody body) {
        try {
            return mapper.writeValueAsString(body);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("an error body is always JSON", e);
        }
    }
}
