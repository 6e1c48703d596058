package io.taskexec.api;

import io.taskexec.api.ApiException.Detail;
import io.taskexec.log.LogFields;
import io.taskexec.schedule.InvalidScheduleException;
import io.taskexec.store.BusyException;
import io.taskexec.store.InUseException;
import io.taskexec.store.LimitReachedException;
import io.taskexec.store.MissingReferenceException;
import io.taskexec.store.NameTakenException;
import io.taskexec.store.PreconditionFailedException;
import io.taskexec.store.UnavailableException;
import io.vertx.core.http.HttpServerRequest;
import jakarta.ws.rs.NotFoundException;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.container.ContainerRequestContext;
import java.util.List;
import org.jboss.logging.Logger;
import org.jboss.resteasy.reactive.RestResponse;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;

/** Turns every failure into the one error body; what is not the client's fault is logged and not explained to it. */
final class Errors {
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
    static ApiException explain(Throwable failure) {
        return switch (failure) {
            case ApiException e -> e;
            case NameTakenException e ->
                new ApiException(ErrorCode.CONFLICT, "'%s' exists already.".formatted(e.getMessage()));
            case InUseException e -> new ApiException(ErrorCode.CONFLICT, String.valueOf(e.getMessage()));
            case LimitReachedException e -> new ApiException(ErrorCode.CONFLICT, String.valueOf(e.getMessage()));
            case PreconditionFailedException _ ->
                new ApiException(
                        ErrorCode.PRECONDITION_FAILED, "The resource is not what If-Match says: it has changed since.");
            case MissingReferenceException e -> missing(e.kind());
            case InvalidScheduleException e -> new ApiException(ErrorCode.INVALID_CRON, String.valueOf(e.getMessage()));
            case BusyException _ ->
                new ApiException(ErrorCode.UNAVAILABLE, "Too many requests are waiting for the database.");
            case UnavailableException _ ->
                new ApiException(
                        ErrorCode.UNAVAILABLE, "The database cannot be used at the moment; the same may work later.");
            // What the framework answers with 404 to a number in the query that is none.
            case NotFoundException e
            when e.getCause() != null ->
                new ApiException(ErrorCode.INVALID_REQUEST, "A parameter of the query is not of its type.");
            case WebApplicationException e -> of(e.getResponse().getStatus());
            default -> new ApiException(ErrorCode.INTERNAL_ERROR, "Something went wrong on our side.");
        };
    }

    static ApiException nothingThere() {
        return new ApiException(ErrorCode.NOT_FOUND, "There is nothing at this path.");
    }

    private static ApiException missing(MissingReferenceException.Kind kind) {
        return switch (kind) {
            case PAYLOAD_SPEC ->
                new ApiException(ErrorCode.INVALID_PAYLOAD_SPEC_REF, "The payload spec does not exist.");
            case CONFIG -> new ApiException(ErrorCode.INVALID_CONFIG_REF, "The config does not exist.");
            case SECRET ->
                new ApiException(ErrorCode.TEMPLATE_RESOLUTION_FAILED, "A secret that the spec names does not exist.");
            case ON_SUCCESS -> missingCallback("on_success");
            case ON_FAILURE -> missingCallback("on_failure");
        };
    }

    private static ApiException missingCallback(String field) {
        var detail = new Detail("/" + field, "must name an endpoint that exists");
        return new ApiException(
                ErrorCode.INVALID_REQUEST, "'/" + field + "' must name an endpoint that exists.", List.of(detail));
    }

    private static ApiException of(int status) {
        return switch (status) {
            case 404 -> nothingThere();
            case METHOD_NOT_ALLOWED ->
                new ApiException(ErrorCode.METHOD_NOT_ALLOWED, "This path does not take that method.");
            case 413 -> BodyLimit.error();
            case 500 -> new ApiException(ErrorCode.INTERNAL_ERROR, "Something went wrong on our side.");
            default -> new ApiException(ErrorCode.INVALID_REQUEST, "The request cannot be handled.");
        };
    }
}
