package io.taskexec.model.job;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.model.PublicId;
import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Something that happened to an execution.
 *
 * @param position in the log of all events: of two events of one execution the later has the higher one
 * @param endpoint null when the job was gone before anybody asked
 * @param attempt the attempt that began or ended, 0 before the first one
 * @param errorType why an attempt failed
 * @param nextRunAt when the next attempt is due
 * @param detail of progress: {@code status} and {@code progress}
 */
public record ExecutionEvent(
        long position,
        Kind kind,
        UUID executionId,
        UUID jobId,
        @Nullable String endpoint,
        int attempt,
        @Nullable String errorType,
        @Nullable Instant nextRunAt,
        Instant at,
        @Nullable JsonNode detail) {
    /** The run time of what waits for its parents: never, as far as is known. */
    public static final Instant NOT_READY = Instant.parse("9000-01-01T00:00:00Z");

    private static final String SOURCE = "/taskexec";

    /** The kind of an event. */
    public enum Kind {
        CREATED,
        /** Its parents have ended as its trigger rule wants it. */
        READY,
        /** A worker has claimed it. */
        STARTED,
        /** The worker of an attempt died or lost its lease. */
        LOST,
        /** The receiver of an attempt says later how it ends. */
        DEFERRED,
        /** It has reported progress. */
        PROGRESS,
        /** An attempt failed, and there is another one. */
        RETRYING,
        /** An attempt was cut short by the shutdown of its worker. */
        INTERRUPTED,
        SUCCESS,
        FAILED,
        CANCELLED,
        /** No attempt began in time. */
        EXPIRED,
        /** Its trigger rule cannot hold. */
        SKIPPED,
        /** Another job took its key before it began. */
        SUPERSEDED,
        /** It is the run of a workflow, whose jobs have been made. */
        WORKFLOW_STARTED,
        /** It is the run of a workflow, whose jobs have ended. */
        WORKFLOW_ENDED;

        private static final String PREFIX = "io.taskexec.";
        private static final Map<String, Kind> BY_TYPE =
                Arrays.stream(values()).collect(Collectors.toUnmodifiableMap(Kind::type, Function.identity()));

        /** As CloudEvents name it. */
        public String type() {
            return PREFIX
                    + switch (this) {
                        case SUCCESS -> "execution.succeeded";
                        case WORKFLOW_STARTED -> "workflow.started";
                        case WORKFLOW_ENDED -> "workflow.ended";
                        default -> "execution." + name().toLowerCase(Locale.ROOT);
                    };
        }

        /** All types. */
        public static Set<String> types() {
            return BY_TYPE.keySet();
        }

        /** The kind of this type, null when there is none. */
        public static @Nullable Kind ofType(String type) {
            return BY_TYPE.get(type);
        }
    }

    /** In the form of a CloudEvent (1.0) in structured mode, with snake_case data. */
    public ObjectNode toCloudEvent() {
        var event = JsonNodeFactory.instance.objectNode();
        event.put("specversion", "1.0")
                .put("id", Long.toString(position))
                .put("source", SOURCE)
                .put("type", kind.type())
                .put("subject", PublicId.EXECUTION.show(executionId))
                .put("time", at.toString())
                .put("datacontenttype", "application/json")
                .set("data", data());
        return event;
    }

    private ObjectNode data() {
        var data = JsonNodeFactory.instance
                .objectNode()
                .put("execution_id", PublicId.EXECUTION.show(executionId))
                .put("job_id", PublicId.JOB.show(jobId))
                .put("status", status().name())
                .put("attempt", attempt);
        if (endpoint != null) {
            data.put("endpoint", endpoint);
        }
        if (errorType != null) {
            data.put("error_type", errorType);
        }
        if (nextRunAt != null && !nextRunAt.equals(NOT_READY)) {
            data.put("next_run_at", nextRunAt.toString());
        }
        if (detail != null && detail.has("progress")) {
            data.set("progress", detail.get("progress"));
        }
        if (kind == Kind.WORKFLOW_STARTED || kind == Kind.WORKFLOW_ENDED) {
            data.put("workflow_id", PublicId.WORKFLOW.show(executionId));
        }
        return data;
    }

    /** The status of the execution after the event. */
    private ExecutionStatus status() {
        return switch (kind) {
            case CREATED, READY ->
                NOT_READY.equals(nextRunAt)
                        ? ExecutionStatus.WAITING
                        : nextRunAt != null && nextRunAt.isAfter(at) ? ExecutionStatus.PENDING : ExecutionStatus.QUEUED;
            case STARTED, WORKFLOW_STARTED -> ExecutionStatus.RUNNING;
            case LOST, RETRYING, INTERRUPTED -> ExecutionStatus.RETRYING;
            case DEFERRED -> ExecutionStatus.DEFERRED;
            case PROGRESS ->
                detail == null
                        ? ExecutionStatus.DEFERRED
                        : ExecutionStatus.valueOf(detail.path("status").asText());
            case SUCCESS -> ExecutionStatus.SUCCESS;
            case FAILED -> ExecutionStatus.FAILED;
            case CANCELLED -> ExecutionStatus.CANCELLED;
            case EXPIRED -> ExecutionStatus.EXPIRED;
            case SKIPPED -> ExecutionStatus.SKIPPED;
            case SUPERSEDED -> ExecutionStatus.SUPERSEDED;
            case WORKFLOW_ENDED ->
                switch (errorType) {
                    case null -> ExecutionStatus.SUCCESS;
                    case "CANCELLED" -> ExecutionStatus.CANCELLED;
                    case "EXPIRED" -> ExecutionStatus.EXPIRED;
                    case "SKIPPED" -> ExecutionStatus.SKIPPED;
                    case "SUPERSEDED" -> ExecutionStatus.SUPERSEDED;
                    default -> ExecutionStatus.FAILED;
                };
        };
    }
}
