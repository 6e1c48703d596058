package io.taskexec.api.job;

import static io.taskexec.model.FieldDefinition.required;
import static java.util.Objects.requireNonNull;

import io.smallrye.mutiny.Uni;
import io.taskexec.api.filter.RequestSpans;
import io.taskexec.api.web.Caller;
import io.taskexec.api.web.RequestSchema;
import io.taskexec.api.web.TraceHeaders;
import io.taskexec.job.BatchReferences;
import io.taskexec.job.CheckTime;
import io.taskexec.job.JobCreation;
import io.taskexec.model.ObjectDefinition;
import io.taskexec.model.TraceContext;
import io.taskexec.model.ValueType.ListOf;
import io.taskexec.model.ValueType.Order;
import io.taskexec.model.job.JobFields;
import io.taskexec.observe.log.LogFields;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorBody;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.ErrorMapping;
import io.taskexec.request.Fields;
import io.taskexec.request.RequestId;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import java.util.List;
import java.util.stream.IntStream;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jboss.logging.Logger;
import org.jboss.resteasy.reactive.server.Cancellable;
import org.jspecify.annotations.Nullable;

/** Many jobs in one call, each with an answer of its own. */
@Path("/jobs/batch")
@Produces(MediaType.APPLICATION_JSON)
@Cancellable(false)
public class JobBatchResource {
    private static final Logger LOG = Logger.getLogger(JobBatchResource.class);

    /** The jobs that are asked for. */
    public static final ObjectDefinition BATCH = ObjectDefinition.of(
            "JobBatchRequest", required("jobs", new ListOf(JobFields.NEW_JOB, 1, 1000, Order.SEQUENCE)));

    private static final int CREATED = 201;
    private static final int OK = 200;

    private final JobCreation creation;
    private final RequestSpans spans;

    JobBatchResource(JobCreation creation, RequestSpans spans) {
        this.creation = creation;
        this.spans = spans;
    }

    /** One answer for each job, in the same order. */
    @Schema(name = "JobBatchResult")
    record View(List<Item> items) {}

    /**
     * The response of {@code POST /jobs} to one of the jobs.
     *
     * @param status the HTTP status
     */
    @Schema(name = "JobBatchItem")
    record Item(int status, @Nullable JobView job, ErrorBody.@Nullable Explanation error) {}

    @POST
    @Operation(
            operationId = "createJobs",
            summary = "Create up to 1,000 jobs.",
            description = "Each job has an answer of its own, in the same order: one that is refused does not keep"
                    + " back others, but those that depend on it.")
    @RequestSchema("JobBatchRequest")
    public Uni<View> create(
            byte @Nullable [] body, @BeanParam TraceHeaders trace, @Context ContainerRequestContext request) {
        var time = Caller.checkTime(request, body);
        var caller = trace.read();
        var span = spans.begin("POST", "/jobs/batch", caller);
        return span == null
                ? create(body, caller, time, request)
                : span.around(context -> create(body, context, time, request), (view, attributes) -> {
                    attributes.put("http.response.status_code", OK);
                    attributes.put("taskexec.jobs", view.items().size());
                });
    }

    private Uni<View> create(
            byte @Nullable [] body, @Nullable TraceContext trace, CheckTime time, ContainerRequestContext request) {
        var fields = Fields.of(body, BATCH);
        var jobs = fields.array("jobs");
        fields.check();
        var references = new BatchReferences(jobs);
        for (var place = 0; place < jobs.size(); place++) {
            try {
                Caller.checkTarget(request, jobs.get(place));
            } catch (ApiException e) {
                references.refuse(place, e);
            }
        }
        var items = new Item[jobs.size()];
        return references
                .inLevels(place -> item(references, place, trace, time).invoke(item -> items[place] = item))
                .map(_ -> new View(IntStream.range(0, items.length)
                        .mapToObj(i -> items[i] == null ? refused(references, i, trace) : items[i])
                        .toList()));
    }

    private static Item refused(BatchReferences references, int place, @Nullable TraceContext trace) {
        return failed(requireNonNull(references.refusal(place)), trace);
    }

    private Uni<Item> item(BatchReferences references, int place, @Nullable TraceContext trace, CheckTime time) {
        return Uni.createFrom()
                .deferred(() -> creation.create(
                        Fields.of(references.resolved(place), BatchReferences.pointer(place), JobFields.NEW_JOB),
                        null,
                        trace,
                        time,
                        false))
                .map(outcome -> {
                    references.created(place, outcome.id());
                    return new Item(outcome.created() ? CREATED : OK, JobView.of(outcome), null);
                })
                .onFailure()
                .recoverWithItem(failure -> failed(failure, trace));
    }

    private static Item failed(Throwable failure, @Nullable TraceContext trace) {
        var error = ErrorMapping.explain(failure);
        var id = RequestId.fresh();
        if (error.code() == ErrorCode.INTERNAL_ERROR) {
            LogFields.ofRequest(id, trace).log(() -> LOG.errorf(failure, "job %s of a batch failed", id));
        }
        return new Item(error.code().status(), null, ErrorBody.of(error, id).error());
    }
}
