package io.taskexec.api.execution;

import io.taskexec.api.web.QueryText;
import io.taskexec.model.job.ExecutionSelection;
import io.taskexec.model.job.ExecutionStatus;
import io.taskexec.model.job.Failure;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import org.jboss.resteasy.reactive.RestQuery;
import org.jspecify.annotations.Nullable;

/** The query parameters that narrow the list of all executions down. */
class SelectionFilter {
    @RestQuery
    @Nullable
    String status;

    @RestQuery("error_type")
    @Nullable
    String errorType;

    @RestQuery
    @Nullable
    String endpoint;

    @RestQuery
    @Nullable
    String queue;

    @RestQuery
    @Nullable
    String tag;

    @RestQuery("created_from")
    @Nullable
    String createdFrom;

    @RestQuery("created_before")
    @Nullable
    String createdBefore;

    @RestQuery
    @Nullable
    String retried;

    ExecutionSelection read() {
        var wanted = QueryText.choice("status", status, ExecutionStatus.class);
        var cause = QueryText.choice("error_type", errorType, Failure.Type.class);
        if (cause != null && wanted != null && wanted != ExecutionStatus.FAILED) {
            throw new ApiException(
                    ErrorCode.INVALID_REQUEST, "Only executions whose 'status' is FAILED have an 'error_type'.");
        }
        return new ExecutionSelection(
                wanted,
                cause,
                endpoint,
                queue,
                tag,
                QueryText.time("created_from", createdFrom),
                QueryText.time("created_before", createdBefore),
                QueryText.flag("retried", retried));
    }
}
