package io.taskexec.request;

import java.util.List;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** A request that is answered with an error; nothing has been changed. */
public final class ApiException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public static final String RETRY_AFTER = "Retry-After";

    private final ErrorCode code;
    private final transient List<Detail> details;
    private final @Nullable String replacedById;
    private final transient Map<String, String> headers;

    /**
     * One thing that is wrong with a request.
     *
     * @param pointer JSON Pointer (RFC 6901) to the value in the request's body
     */
    @Schema(name = "ErrorDetail")
    public record Detail(String pointer, String message) {}

    public ApiException(ErrorCode code, String message) {
        this(code, message, List.of());
    }

    public ApiException(ErrorCode code, String message, List<Detail> details) {
        this(code, message, details, null, Map.of());
    }

    private ApiException(
            ErrorCode code,
            String message,
            List<Detail> details,
            @Nullable String replacedById,
            Map<String, String> headers) {
        super(message, null, false, false);
        this.code = code;
        this.details = details;
        this.replacedById = replacedById;
        this.headers = headers;
    }

    /** One value in the request's body is not what it must be, which {@code message} says of it. */
    public static ApiException at(ErrorCode code, String pointer, String message) {
        return new ApiException(code, "'%s' %s.".formatted(pointer, message), List.of(new Detail(pointer, message)));
    }

    /** The request was meant for a version of a job that another one has replaced. */
    public static ApiException replaced(ErrorCode code, String message, String replacedById) {
        return new ApiException(code, message, List.of(), replacedById, Map.of());
    }

    /** The same request may do better after so many seconds, and not before. */
    public static ApiException retryAfter(long seconds, ErrorCode code, String message) {
        return new ApiException(code, message).with(RETRY_AFTER, Long.toString(seconds));
    }

    /** The same error, whose answer has a header. */
    public ApiException with(String header, String value) {
        return new ApiException(code, String.valueOf(getMessage()), details, replacedById, Map.of(header, value));
    }

    public ErrorCode code() {
        return code;
    }

    public List<Detail> details() {
        return details;
    }

    /** The id of the version that has replaced the one that was meant. */
    public @Nullable String replacedById() {
        return replacedById;
    }

    /** Headers of the answer. */
    public Map<String, String> headers() {
        return headers;
    }
}
