package io.taskexec.request;

import org.jspecify.annotations.Nullable;

/** The error codes of the API with their HTTP status. */
public enum ErrorCode {
    INVALID_REQUEST(400),
    UNAUTHORIZED(401),
    FORBIDDEN(403),
    NOT_FOUND(404),
    PAYLOAD_SPEC_NOT_FOUND(404, "Payload spec"),
    CONFIG_NOT_FOUND(404, "Config"),
    SECRET_NOT_FOUND(404, "Secret"),
    QUEUE_NOT_FOUND(404, "Queue"),
    ENDPOINT_NOT_FOUND(404, "Endpoint"),
    JOB_NOT_FOUND(404, "Job"),
    EXECUTION_NOT_FOUND(404, "Execution"),
    WORKFLOW_NOT_FOUND(404, "Workflow"),
    WORKFLOW_DEFINITION_NOT_FOUND(404, "Workflow definition"),
    KEY_NOT_FOUND(404, "API key"),
    OPERATION_NOT_FOUND(404, "Operation"),
    CALLBACK_NOT_FOUND(404),
    APPROVAL_NOT_FOUND(404),
    METHOD_NOT_ALLOWED(405),
    CONFLICT(409),
    JOB_NOT_UPDATABLE(409),
    EXECUTION_NOT_CANCELLABLE(409),
    WORKFLOW_NOT_CANCELLABLE(409),
    WORKFLOW_NOT_RETRYABLE(409),
    EXECUTION_ENDED(409),
    IDEMPOTENCY_KEY_IN_USE(409),
    APPROVAL_DECIDED(409),
    ATTEMPT_ENDED(410),
    EVENTS_GONE(410),
    PRECONDITION_FAILED(412),
    PAYLOAD_TOO_LARGE(413),
    INVALID_CRON(422),
    INVALID_SCHEMA(422),
    INVALID_PAYLOAD_SPEC_REF(422),
    INVALID_CONFIG_REF(422),
    INVALID_QUEUE_REF(422),
    INPUT_VALIDATION_FAILED(422),
    TEMPLATE_RESOLUTION_FAILED(422),
    DEPENDENCY_NOT_FOUND(422),
    DEPENDENCY_IS_SCHEDULE(422),
    DEPENDENCY_REFUSED(422),
    DUPLICATE_DEPENDENCY(422),
    TOO_MANY_DEPENDENCIES(422),
    TRIGGER_RULE_IMPOSSIBLE(422),
    UNKNOWN_PARENT(422),
    INVALID_CONDITION(422),
    WORKFLOW_CYCLE(422),
    TOO_MANY_JOBS(422),
    PUBLIC_URL_REQUIRED(422),
    IDEMPOTENCY_KEY_REUSED(422),
    RATE_LIMITED(429),
    INTERNAL_ERROR(500),
    UNAVAILABLE(503);

    private final int status;
    private final @Nullable String noun;

    ErrorCode(int status) {
        this(status, null);
    }

    /** @param noun the kind of resource that does not exist */
    ErrorCode(int status, @Nullable String noun) {
        this.status = status;
        this.noun = noun;
    }

    public int status() {
        return status;
    }

    /** The kind of resource that does not exist; null of other errors. */
    @Nullable
    String noun() {
        return noun;
    }
}
