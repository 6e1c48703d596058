package io.taskexec.api.execution;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.model.job.Failure;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * The output and the error of a delivery, as the OpenAPI document shows them. One schema serves all transports, since
 * nothing in an output tells them apart; the {@code endpoint_type} of the execution does.
 */
final class DeliveryShapes {
    private DeliveryShapes() {}

    /** The receipt of a delivery. */
    @Schema(name = "DeliveryOutput", description = "What the receiver answered, by the type of the endpoint.")
    record Output(
            @Schema(description = "HTTP: the status.", examples = "200") @Nullable
            Integer statusCode,

            @Schema(description = "HTTP: the body, or its beginning.") @Nullable
            String body,

            @Schema(description = "HTTP: true when 'body' is only the beginning.") @Nullable
            Boolean truncated,

            @Schema(description = "KAFKA: the partition of the record.") @Nullable
            Integer partition,

            @Schema(description = "KAFKA: the offset of the record.") @Nullable
            Long offset,

            @Schema(description = "REDIS_STREAM: the id of the entry.", examples = "1710499801234-0") @Nullable
            String messageId,

            @Schema(description = "REDIS_STREAM: the key of the stream.") @Nullable
            String stream,

            @Schema(description = "The output of a callback, a pull worker or a decision; HTTP: a body in JSON.")
            @Nullable
            JsonNode json) {}

    /** The reason of a failure. */
    @Schema(name = "DeliveryError", description = "Why a delivery failed.")
    record Reason(
            Failure.Type type,
            @Schema(description = "The reason in words.") String message,

            @Schema(description = "HTTP_ERROR: the status of the answer.", examples = "503") @Nullable
            Integer statusCode,

            @Schema(description = "HTTP_ERROR: the beginning of the answer's body.") @Nullable
            String body,

            @Schema(description = "RECEIVER_FAILED: a word for programs, by a pull worker.") @Nullable
            String code) {}
}
