package io.taskexec.api.execution;

import static io.taskexec.model.FieldDefinition.optional;
import static io.taskexec.model.FieldDefinition.required;
import static io.taskexec.model.ValueType.text;
import static io.taskexec.model.ValueType.words;

import io.taskexec.model.ObjectDefinition;
import io.taskexec.model.ValueType.Plain;
import io.taskexec.model.ValueType.Whole;
import io.taskexec.model.job.ExecutionSelection;
import io.taskexec.model.job.ExecutionStatus;
import io.taskexec.model.job.Failure;
import io.taskexec.model.job.OperationAction;
import io.taskexec.request.Fields;
import org.jspecify.annotations.Nullable;

/** Reads what is to be done to many executions. */
public record BulkRequest(
        OperationAction action,
        ExecutionSelection selection,
        boolean dryRun,
        int ratePerSec,
        @Nullable Long max) {
    private static final ObjectDefinition FILTER = ObjectDefinition.of(
            "ExecutionFilter",
            optional("status", words("ExecutionStatus", ExecutionStatus.values()))
                    .says("Of what has ended, for RETRY; default FAILED. Of what waits, for CANCEL; default any."),
            optional("error_type", words("DeliveryErrorType", Failure.Type.values()))
                    .says("For RETRY: the 'type' of their error."),
            optional("endpoint", text(255)),
            optional("queue", text(255)),
            optional("tag", text(255)),
            optional("created_from", Plain.TIME),
            optional("created_before", Plain.TIME),
            optional("retried", Plain.FLAG)
                    .says("For RETRY: true for those that have been repeated already; default false."));

    private static final ObjectDefinition WAITING = FILTER.without("error_type", "retried");

    /** The body. */
    public static final ObjectDefinition BULK = ObjectDefinition.of(
            "BulkRequest",
            required("action", words("OperationAction", OperationAction.values())),
            optional("filter", FILTER),
            optional("dry_run", Plain.FLAG).or("false").says("Only counts them and shows some."),
            optional("rate_per_sec", new Whole(1, 10_000)).or("100"),
            optional("max", new Whole(1, 1_000_000_000)).says("Changes no more than so many."));

    static BulkRequest read(Fields fields) {
        var action = fields.decisiveChoice("action", OperationAction.class);
        var selection = switch (action) {
            case RETRY -> ended(fields.fields("filter"));
            case CANCEL -> waiting(fields.fields("filter", WAITING));
        };
        var dryRun = fields.flag("dry_run");
        var rate = fields.integer("rate_per_sec");
        var max = fields.optionalInteger("max");
        fields.check();
        return new BulkRequest(action, selection, dryRun, rate, max == null ? null : Long.valueOf(max));
    }

    /** Those that have been repeated are left out, so that the same request twice does not repeat them twice. */
    private static ExecutionSelection ended(Fields filter) {
        var given = filter.optionalChoice("status", ExecutionStatus.class);
        var status = given == null ? ExecutionStatus.FAILED : given;
        if (!status.isFinal()) {
            filter.violation(
                    "status", "must be one of SUCCESS, FAILED, CANCELLED, EXPIRED, SKIPPED and SUPERSEDED for a retry");
        }
        var errorType = filter.optionalChoice("error_type", Failure.Type.class);
        if (errorType != null && status != ExecutionStatus.FAILED) {
            filter.violation("error_type", "is only for executions with the status FAILED");
        }
        return selection(filter, status, errorType, filter.has("retried") && filter.flag("retried"));
    }

    private static ExecutionSelection waiting(Fields filter) {
        var status = filter.optionalChoice("status", ExecutionStatus.class);
        if (status != null && (status.isFinal() || status == ExecutionStatus.RUNNING)) {
            filter.violation(
                    "status", "must be one of WAITING, PENDING, QUEUED, DEFERRED and RETRYING for a cancellation");
        }
        return selection(filter, status, null, null);
    }

    private static ExecutionSelection selection(
            Fields filter,
            @Nullable ExecutionStatus status,
            Failure.@Nullable Type errorType,
            @Nullable Boolean retried) {
        var selection = new ExecutionSelection(
                status,
                errorType,
                filter.optionalText("endpoint"),
                filter.optionalText("queue"),
                filter.optionalText("tag"),
                filter.optionalInstant("created_from"),
                filter.optionalInstant("created_before"),
                retried);
        filter.checkNested();
        return selection;
    }
}
