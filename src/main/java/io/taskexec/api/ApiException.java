package io.taskexec.api;

import java.util.List;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** A request that is answered with an error; nothing has been changed. */
final class ApiException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final ErrorCode code;
    private final transient List<Detail> details;
    private final transient Map<String, String> headers;

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
        this(code, message, details, Map.of());
    }

    private ApiException(ErrorCode code, String message, List<Detail> details, Map<String, String> headers) {
        super(message, null, false, false);
        this.code = code;
        this.details = details;
        this.headers = headers;
    }

    /** The same error, whose answer has a header. */
    ApiException with(String header, String value) {
        return new ApiException(code, String.valueOf(getMessage()), details, Map.of(header, value));
    }

    ErrorCode code() {
        return code;
    }

    List<Detail> details() {
        return details;
    }

    /** Headers of the answer. */
    Map<String, String> headers() {
        return headers;
    }
}
