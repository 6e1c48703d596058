package io.taskexec.api.web;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorBody;
import io.taskexec.request.RequestId;
import io.vertx.ext.web.RoutingContext;
import jakarta.inject.Singleton;

/** Answers with the API's error body when a request is refused before it reaches a resource. */
@Singleton
public final class PreRoutingErrors {
    private final ObjectMapper mapper;

    public PreRoutingErrors(ObjectMapper mapper) {
        this.mapper = mapper;
    }

    public void write(RoutingContext context, ApiException error) {
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
