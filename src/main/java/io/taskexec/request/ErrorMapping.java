package io.taskexec.request;

import io.taskexec.schedule.InvalidScheduleException;
import io.taskexec.store.endpoint.PreconditionFailedException;
import io.taskexec.store.sql.BusyException;
import io.taskexec.store.sql.InUseException;
import io.taskexec.store.sql.LimitReachedException;
import io.taskexec.store.sql.LockedException;
import io.taskexec.store.sql.MissingReferenceException;
import io.taskexec.store.sql.NameTakenException;
import io.taskexec.store.sql.UnavailableException;

/** Maps failures of the layers below to errors of the API. */
public final class ErrorMapping {
    private ErrorMapping() {}

    /** The error that the API answers to a failure. */
    public static ApiException explain(Throwable failure) {
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
            case LockedException _ ->
                new ApiException(
                        ErrorCode.UNAVAILABLE,
                        "Another transaction has locked what is to be changed; the same may work later.");
            case UnavailableException _ ->
                new ApiException(
                        ErrorCode.UNAVAILABLE, "The database cannot be used at the moment; the same may work later.");
            default -> new ApiException(ErrorCode.INTERNAL_ERROR, "Something went wrong on our side.");
        };
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
        return ApiException.at(ErrorCode.ENDPOINT_NOT_FOUND, "/" + field, "must name an endpoint that exists");
    }
}
