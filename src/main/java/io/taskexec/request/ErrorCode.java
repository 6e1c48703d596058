package io.taskexec.request;

/** The error codes of the API with their HTTP status. */
public enum ErrorCode {
    INVALID_REQUEST(400),
    UNAUTHORIZED(401),
    FORBIDDEN(403),
    NOT_FOUND(404),
    PAYLOAD_SPEC_NOT_FOUND(404),
    CONFIG_NOT_FOUND(404),
    SECRET_NOT_FOUND(404),
    ENDPOINT_NOT_FOUND(404),
    JOB_NOT_FOUND(404),
    EXECUTION_NOT_FOUND(404),
    KEY_NOT_FOUND(404),
    OPERATION_NOT_FOUND(404),
    METHOD_NOT_ALLOWED(405),
    CONFLICT(409),
    JOB_NOT_UPDATABLE(409),
    EXECUTION_NOT_CANCELLABLE(409),
    EVENTS_GONE(410),
    PRECONDITION_FAILED(412),
    PAYLOAD_TOO_LARGE(413),
    INVALID_CRON(422),
    INVALID_SCHEMA(422),
    INVALID_PAYLOAD_SPEC_REF(422),
    INVALID_CONFIG_REF(422),
    INPUT_VALIDATION_FAILED(422),
    TEMPLATE_RESOLUTION_FAILED(422),
    IDEMPOTENCY_KEY_REUSED(422),
    RATE_LIMITED(429),
    INTERNAL_ERROR(500),
    UNAVAILABLE(503);

    private final int status;

    ErrorCode(int status) {
        this.status = status;
    }

    public int status() {
        return status;
    }
}
