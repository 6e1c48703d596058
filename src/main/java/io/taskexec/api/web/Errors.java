package io.taskexec.api.web;

import io.taskexec.observe.log.LogFields;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorBody;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.ErrorMapping;
import io.taskexec.request.RequestBodies;
import io.taskexec.request.RequestId;
import io.vertx.core.http.HttpServerRequest;
import jakarta.ws.rs.NotFoundException;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.container.ContainerRequestContext;
import org.jboss.logging.Logger;
import org.jboss.resteasy.reactive.RestResponse;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;

/** Turns every failure into the one error body; what is not the client's fault is logged and not explained to it. */
public final class Errors {
    private static final Logger LOG = Logger.getLogger(Errors.class);

    private static final int METHOD_NOT_ALLOWED = 405;

    /** Whatever the request would have been answered with otherwise. */
    private static final String JSON = "application/json;charset=UTF-8";

    private static final String SOON = "1";

    @ServerExceptionMapper
    public RestResponse<ErrorBody> map(
            Throwable failure, ContainerRequestContext request, HttpServerRequest connection) {
        var error = withAllow(explain(failure), connection);
        var id = RequestId.of(request);
        if (error.code() == ErrorCode.INTERNAL_ERROR) {
            LogFields.ofRequest(id, TraceHeaders.of(request)).log(() -> LOG.errorf(failure, "request %s failed", id));
        } else if (LOG.isDebugEnabled()) {
            LogFields.ofRequest(id, TraceHeaders.of(request))
                    .log(() -> LOG.debugf("request %s: %s %s", id, error.code(), error.getMessage()));
        }
        return response(error, id);
    }

    @ServerExceptionMapper
    public RestResponse<ErrorBody> map(
            WebApplicationException failure, ContainerRequestContext request, HttpServerRequest connection) {
        return map((Throwable) failure, request, connection);
    }

    /** The framework answers 404 to a method that no resource takes whose path is the beginning of this one. */
    private static ApiException withAllow(ApiException error, HttpServerRequest connection) {
        if (error.code() != ErrorCode.METHOD_NOT_ALLOWED && error.code() != ErrorCode.NOT_FOUND) {
            return error;
        }
        var methods = Routes.methods(connection.path());
        return methods.isEmpty() || methods.contains(connection.method().name())
                ? error
                : of(METHOD_NOT_ALLOWED).with(Routes.ALLOW, String.join(", ", methods));
    }

    private static RestResponse<ErrorBody> response(ApiException error, String requestId) {
        var response = RestResponse.ResponseBuilder.<ErrorBody>create(
                        error.code().status())
                .type(JSON)
                .entity(ErrorBody.of(error, requestId));
        var mayRepeat = error.code() == ErrorCode.RATE_LIMITED || error.code() == ErrorCode.UNAVAILABLE;
        if (mayRepeat && !error.headers().containsKey(ApiException.RETRY_AFTER)) {
            response.header(ApiException.RETRY_AFTER, SOON);
        }
        error.headers().forEach(response::header);
        return response.build();
    }

    /** The error that the API answers to a failure. */
    private static ApiException explain(Throwable failure) {
        return switch (failure) {
            // The framework answers 404 to a malformed number in the query.
            case NotFoundException e
            when e.getCause() != null ->
                new ApiException(ErrorCode.INVALID_REQUEST, "A parameter of the query is not of its type.");
            case WebApplicationException e -> of(e.getResponse().getStatus());
            default -> ErrorMapping.explain(failure);
        };
    }

    public static ApiException nothingThere() {
        return new ApiException(ErrorCode.NOT_FOUND, "There is nothing at this path.");
    }

    private static ApiException of(int status) {
        return switch (status) {
            case 404 -> nothingThere();
            case METHOD_NOT_ALLOWED ->
                new ApiException(ErrorCode.METHOD_NOT_ALLOWED, "This path does not take that method.");
            case 413 -> RequestBodies.tooLarge();
            case 500 -> new ApiException(ErrorCode.INTERNAL_ERROR, "Something went wrong on our side.");
            default -> new ApiException(ErrorCode.INVALID_REQUEST, "The request cannot be handled.");
        };
    }
}
