package io.taskexec.api.job;

import io.taskexec.api.web.QueryText;
import io.taskexec.model.job.JobStatus;
import io.taskexec.model.job.TriggerKind;
import io.taskexec.store.job.JobStore.Filter;
import org.jboss.resteasy.reactive.RestQuery;
import org.jspecify.annotations.Nullable;

/** The query parameters that narrow a list of jobs down. */
class JobFilter {
    @RestQuery
    @Nullable
    String endpoint;

    @RestQuery
    @Nullable
    String queue;

    @RestQuery
    @Nullable
    String tag;

    @RestQuery
    @Nullable
    String trigger;

    @RestQuery
    @Nullable
    String status;

    @RestQuery("created_from")
    @Nullable
    String createdFrom;

    @RestQuery("created_before")
    @Nullable
    String createdBefore;

    Filter read() {
        var kind = QueryText.choice("trigger", trigger, TriggerKind.class);
        return new Filter(
                endpoint,
                queue,
                tag,
                kind == null ? null : kind.name(),
                QueryText.choice("status", status, JobStatus.class),
                QueryText.time("created_from", createdFrom),
                QueryText.time("created_before", createdBefore));
    }
}
