package io.taskexec.request;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Answers requests for resources that do not exist. */
public final class Lookup {
    private static final Map<ErrorCode, String> NOUNS = Map.of(
            ErrorCode.PAYLOAD_SPEC_NOT_FOUND, "Payload spec",
            ErrorCode.CONFIG_NOT_FOUND, "Config",
            ErrorCode.SECRET_NOT_FOUND, "Secret",
            ErrorCode.QUEUE_NOT_FOUND, "Queue",
            ErrorCode.ENDPOINT_NOT_FOUND, "Endpoint",
            ErrorCode.JOB_NOT_FOUND, "Job",
            ErrorCode.EXECUTION_NOT_FOUND, "Execution",
            ErrorCode.KEY_NOT_FOUND, "API key",
            ErrorCode.OPERATION_NOT_FOUND, "Operation");

    private Lookup() {}

    /** Returns the resource; throws {@code code} when there is none. */
    public static <T> T found(@Nullable T resource, ErrorCode code, String id) {
        if (resource == null) {
            throw notFound(code, id);
        }
        return resource;
    }

    public static ApiException notFound(ErrorCode code, String id) {
        return new ApiException(code, "%s '%s' does not exist.".formatted(NOUNS.getOrDefault(code, "It"), id));
    }
}
