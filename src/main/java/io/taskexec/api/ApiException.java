package io.taskexec.api;

import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** A request that is answered with an error; nothing has been changed. */
final class ApiException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private static final long SOON_SEC = 1;

    private final ErrorCode code;
    private final long retryAfterSec;
    private final transient List<Detail> details;
    private final @Nullable String replacedById;

    /**
     * One thing that is wrong with a request.
     *
     * @param pointer JSON Pointer (RFC 6901) to the value in the request's body
     */
    @Schema(name = "ErrorDetail")
    record Detail(String pointer, String message) {}

    ApiException(ErrorCode code, String message) {
        this(code, message, List.of());
    }

    ApiException(ErrorCode code, String message, List<Detail> details) {
        this(code, message, details, null, SOON_SEC);
    }

    private ApiException(
            ErrorCode code, String message, List<Detail> details, @Nullable String replacedById, long retryAfterSec) {
        super(message, null, false, false);
        this.code = code;
        this.retryAfterSec = retryAfterSec;
        this.details = details;
        this.replacedById = replacedById;
    }

    /** The request was meant for a version of a job that another one has replaced. */
    static ApiException replaced(ErrorCode code, String message, String replacedById) {
        return new ApiException(code, message, List.of(), replacedById, SOON_SEC);
    }

    /** The same request may do better after so many seconds, and not before. */
    static ApiException retryAfter(long seconds, ErrorCode code, String message) {
        return new ApiException(code, message, List.of(), null, seconds);
    }

    /** What {@code Retry-After} says where the code of the error has it. */
    long retryAfterSec() {
        return retryAfterSec;
    }

    ErrorCode code() {
        return code;
    }

    List<Detail> details() {
        return details;
    }

    /** The id of the version that has replaced the one that was meant. */
    @Nullable
    String replacedById() {
        return replacedById;
    }
}
