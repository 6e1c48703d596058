package io.taskexec.model.job;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The reason why an attempt failed, as its record shows it.
 *
 * @param statusCode of an HTTP answer that was not expected
 * @param body what is kept of that answer's body
 * @param code a word for programs, by a pull worker
 */
public record Failure(
        Type type,
        String message,
        @Nullable Integer statusCode,
        @Nullable String body,
        @Nullable String code) {
    private static final int GONE = 410;

    /** The classes of failure. */
    public enum Type {
        CONNECTION_ERROR,
        TIMEOUT,
        HTTP_ERROR,
        /** A Kafka broker refused the message, or none could be reached. */
        BROKER_ERROR,
        /** Redis refused the entry. */
        STREAM_ERROR,
        /** The target's address is not allowed. */
        EGRESS_BLOCKED,
        TEMPLATE_RESOLUTION_FAILED,
        /** The input, with what its templates have become, does not match the payload spec. */
        INPUT_VALIDATION_FAILED,
        /** The endpoint resolves to something that cannot be sent, such as a malformed URL. */
        INVALID_CONFIGURATION,
        /** What the jobs of its workflow have answered is more than a context may have. */
        CONTEXT_TOO_LARGE,
        /** It is the run of a workflow, of which jobs have failed. */
        WORKFLOW_FAILED,
        /** The receiver deferred it in a way that its endpoint does not allow, or that cannot be understood. */
        INVALID_DEFERRAL,
        /** Its receiver deferred it, and did not say in time how it ended. */
        DEFERRAL_TIMEOUT,
        /** Its receiver deferred it, and was silent for too long. */
        HEARTBEAT_TIMEOUT,
        /** Its receiver deferred it, and said later that it had failed. */
        RECEIVER_FAILED,
        /** A person has rejected it. */
        APPROVAL_REJECTED,
        /** The stored form of its job, endpoint, config or secrets is damaged. */
        UNREADABLE,
        /** Its workers were lost too often while they ran it, or once where it must not be delivered twice. */
        WORKER_LOST,
        /** A defect of taskexec itself. */
        INTERNAL_ERROR
    }

    public Failure(Type type, String message) {
        this(type, message, null, null, null);
    }

    /** One with an answer that was not expected. */
    public Failure(Type type, String message, @Nullable Integer statusCode, @Nullable String body) {
        this(type, message, statusCode, body, null);
    }

    /** Whether the receiver answered 410 Gone (RFC 9110, 15.5.11). */
    public boolean isGone() {
        return type == Type.HTTP_ERROR && statusCode != null && statusCode == GONE;
    }

    /** The same failure with {@code redact} applied to what came from outside. */
    public Failure redacted(UnaryOperator<String> redact) {
        return new Failure(type, redact.apply(message), statusCode, body == null ? null : redact.apply(body), code);
    }

    /** The failure as it is stored and shown: {@code {type, status_code?, code?, message, body?}}. */
    public ObjectNode toJson() {
        var json = JsonNodeFactory.instance.objectNode();
        json.put("type", type.name());
        if (statusCode != null) {
            json.put("status_code", statusCode);
        }
        if (code != null) {
            json.put("code", code);
        }
        json.put("message", message);
        if (body != null) {
            json.put("body", body);
        }
        return json;
    }
}
