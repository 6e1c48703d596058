package io.taskexec.api.execution;

import io.taskexec.api.web.QueryText;
import io.taskexec.model.job.ExecutionStatus;
import io.taskexec.store.execution.ExecutionStore.Filter;
import org.jboss.resteasy.reactive.RestQuery;
import org.jspecify.annotations.Nullable;

/** The query parameters that narrow a list of executions down. */
public class ExecutionFilter {
    @RestQuery
    @Nullable
    String status;

    @RestQuery("run_from")
    @Nullable
    String runFrom;

    @RestQuery("run_before")
    @Nullable
    String runBefore;

    public Filter read() {
        return new Filter(
                QueryText.choice("status", status, ExecutionStatus.class),
                QueryText.time("run_from", runFrom),
                QueryText.time("run_before", runBefore));
    }
}
