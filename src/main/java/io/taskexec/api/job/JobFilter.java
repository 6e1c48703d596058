package io.taskexec.api.job;

import io.taskexec.api.web.QueryText;
import io.taskexec.model.job.JobStatus;
import io.taskexec.model.job.TriggerKind;
import io.taskexec.store.job.JobStore.Filter;
import java.util.function.Function;
import org.jboss.resteasy.reactive.RestQuery;
import org.jspecify.annotations.Nullable;

/** The query parameters that narrow a list of jobs down. */
public class JobFilter {
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

    /** The filter with these parameters, by their names. */
    public static JobFilter of(Function<String, @Nullable String> parameters) {
        var filter = new JobFilter();
        filter.endpoint = parameters.apply("endpoint");
        filter.queue = parameters.apply("queue");
        filter.tag = parameters.apply("tag");
        filter.trigger = parameters.apply("trigger");
        filter.status = parameters.apply("status");
        filter.createdFrom = parameters.apply("created_from");
        filter.createdBefore = parameters.apply("created_before");
        return filter;
    }

    /** The filter, or an error of the API. */
    public Filter read() {
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
