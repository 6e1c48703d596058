package io.taskexec.api.execution;

import io.taskexec.api.web.QueryText;
import io.taskexec.model.job.ExecutionSelection;
import io.taskexec.model.job.ExecutionStatus;
import io.taskexec.model.job.Failure;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import java.util.function.Function;
import org.jboss.resteasy.reactive.RestQuery;
import org.jspecify.annotations.Nullable;

/** The query parameters that narrow the list of all executions down. */
public class SelectionFilter {
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

    /** The filter with these parameters, by their names. */
    public static SelectionFilter of(Function<String, @Nullable String> parameters) {
        var filter = new SelectionFilter();
        filter.status = parameters.apply("status");
        filter.errorType = parameters.apply("error_type");
        filter.endpoint = parameters.apply("endpoint");
        filter.queue = parameters.apply("queue");
        filter.tag = parameters.apply("tag");
        filter.createdFrom = parameters.apply("created_from");
        filter.createdBefore = parameters.apply("created_before");
        filter.retried = parameters.apply("retried");
        return filter;
    }

    public ExecutionSelection read() {
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
