package io.taskexec.api.execution;

import io.taskexec.model.job.ExecutionSelection;
import io.taskexec.model.job.ExecutionStatus;
import io.taskexec.model.job.Failure;
import io.taskexec.model.job.OperationAction;
import io.taskexec.request.Fields;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** Reads what is to be done to many executions. */
public record BulkRequest(
        OperationAction action,
        ExecutionSelection selection,
        boolean dryRun,
        int ratePerSec,
        @Nullable Long max) {
    private static final int DEFAULT_RATE = 100;
    private static final int MAX_RATE = 10_000;
    private static final int MAX_EXECUTIONS = 1_000_000_000;
    private static final int MAX_TEXT = 255;

    /** The body as the OpenAPI document shows it. */
    @Schema(name = "BulkRequest")
    record Shape(
            String action,

            @Nullable SelectionView filter,

            @Schema(defaultValue = "false", description = "Only counts them and shows some.") @Nullable
            Boolean dryRun,

            @Schema(minimum = "1", maximum = "10000", defaultValue = "100") @Nullable
            Integer ratePerSec,

            @Schema(minimum = "1", maximum = "1000000000", description = "Changes no more than so many.") @Nullable
            Integer max) {}

    static BulkRequest read(Fields fields) {
        var action = fields.decisiveChoice("action", OperationAction.class);
        var filter = fields.fields("filter", false);
        var selection = switch (action) {
            case RETRY -> ended(filter);
            case CANCEL -> waiting(filter);
        };
        filter.checkNested();
        var dryRun = fields.flag("dry_run", false);
        var rate = fields.integer("rate_per_sec", DEFAULT_RATE, 1, MAX_RATE);
        var max = fields.integer("max", 0, 1, MAX_EXECUTIONS);
        fields.check();
        return new BulkRequest(action, selection, dryRun, rate, max == 0 ? null : Long.valueOf(max));
    }

    /** Those that have been repeated are left out, so that the same request twice does not repeat them twice. */
    private static ExecutionSelection ended(Fields filter) {
        var status = filter.choice("status", ExecutionStatus.class, ExecutionStatus.FAILED);
        if (!status.isFinal()) {
            filter.violation("status", "must be one of SUCCESS, FAILED and CANCELLED for a retry");
        }
        var errorType = filter.optionalChoice("error_type", Failure.Type.class);
        if (errorType != null && status != ExecutionStatus.FAILED) {
            filter.violation("error_type", "is only for executions with the status FAILED");
        }
        return selection(filter, status, errorType, filter.flag("retried", false));
    }

    private static ExecutionSelection waiting(Fields filter) {
        var status = filter.optionalChoice("status", ExecutionStatus.class);
        if (status != null && (status.isFinal() || status == ExecutionStatus.RUNNING)) {
            filter.violation("status", "must be one of PENDING, QUEUED and RETRYING for a cancellation");
        }
        return selection(filter, status, null, null);
    }

    private static ExecutionSelection selection(
            Fields filter,
            @Nullable ExecutionStatus status,
            Failure.@Nullable Type errorType,
            @Nullable Boolean retried) {
        return new ExecutionSelection(
                status,
                errorType,
                filter.optionalText("endpoint", MAX_TEXT),
                filter.optionalText("queue", MAX_TEXT),
                filter.optionalText("tag", MAX_TEXT),
                filter.optionalInstant("created_from"),
                filter.optionalInstant("created_before"),
                retried);
    }
}
