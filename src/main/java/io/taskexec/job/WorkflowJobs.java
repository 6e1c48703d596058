package io.taskexec.job;

import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.taskexec.job.JobQueues.Placing;
import io.taskexec.job.RegisteredEndpoints.Registered;
import io.taskexec.model.Fingerprint;
import io.taskexec.model.TraceContext;
import io.taskexec.model.dependency.Dependencies;
import io.taskexec.model.dependency.Dependencies.Parent;
import io.taskexec.model.dependency.TriggerRule;
import io.taskexec.model.endpoint.EndpointType;
import io.taskexec.model.endpoint.WorkflowJob;
import io.taskexec.model.endpoint.WorkflowSpec;
import io.taskexec.model.job.Expiry;
import io.taskexec.model.job.JobOptions;
import io.taskexec.model.job.JobOptions.Run;
import io.taskexec.model.job.TriggerKind;
import io.taskexec.request.ApiException;
import io.taskexec.request.ApiException.Detail;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.Fields;
import io.taskexec.store.job.NewJob;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Checks the jobs of a workflow against their endpoints, and makes them for a run. */
@Singleton
public class WorkflowJobs {
    private final RegisteredEndpoints endpoints;
    private final JobQueues queues;
    private final InputChecks checks;

    WorkflowJobs(RegisteredEndpoints endpoints, JobQueues queues, InputChecks checks) {
        this.endpoints = endpoints;
        this.queues = queues;
        this.checks = checks;
    }

    /** Checks that an endpoint exists that delivers; fails with an {@link ApiException}. */
    public Uni<Void> checkDelivering(String name, String pointer) {
        return find(name, pointer, pointer)
                .invoke(endpoint -> {
                    if (endpoint.type() == EndpointType.APPROVAL || endpoint.type() == EndpointType.WORKFLOW) {
                        throw ApiException.at(
                                ErrorCode.INVALID_REQUEST, pointer, "must name an endpoint that delivers");
                    }
                })
                .replaceWithVoid();
    }

    /**
     * Checks that the endpoints and the queues exist, and that inputs without templates satisfy their payload specs;
     * fails with an {@link ApiException}.
     *
     * @param pointer of the jobs in the request
     */
    public Uni<Void> check(WorkflowSpec spec, String pointer, CheckTime time) {
        return Multi.createFrom()
                .iterable(spec.jobs().entrySet())
                .onItem()
                .transformToUniAndConcatenate(entry -> {
                    var where = pointer + "/" + Fields.escaped(entry.getKey());
                    return findOf(entry.getValue(), where)
                            .chain(endpoint -> check(entry.getValue(), endpoint, where, time));
                })
                .collect()
                .asList()
                .replaceWithVoid();
    }

    private Uni<Registered> findOf(WorkflowJob job, String where) {
        return find(job.endpoint(), where, where + "/endpoint");
    }

    /**
     * Finds an endpoint; fails with an {@link ApiException} when it does not exist.
     *
     * @param where what names it
     * @param pointer of its name
     */
    private Uni<Registered> find(String name, String where, String pointer) {
        return endpoints.find(name).map(endpoint -> {
            if (endpoint == null) {
                throw new ApiException(
                        ErrorCode.ENDPOINT_NOT_FOUND,
                        "The endpoint '%s' of '%s' does not exist.".formatted(name, where),
                        List.of(new Detail(pointer, "must name an endpoint that exists")));
            }
            return endpoint;
        });
    }

    private Uni<Boolean> check(WorkflowJob job, Registered endpoint, String where, CheckTime time) {
        var isTemplate = isTemplate(job);
        if (endpoint.type() == EndpointType.WORKFLOW
                && (job.timeout() != null || !job.rules().isNone())) {
            throw DependencyFields.refusal(
                    ErrorCode.INVALID_REQUEST,
                    "'%s' runs a workflow, which has no 'timeout_ms', 'retry_on' and 'no_retry_on' itself."
                            .formatted(where),
                    where,
                    "must leave the settings of calls to the jobs of that workflow");
        }
        var _ = endpoint.flowKey(job.input(), isTemplate, where + "/input");
        var schema = isTemplate ? null : endpoint.schema();
        var queue = job.queue();
        if (queue != null && endpoint.type() == EndpointType.WORKER) {
            throw ApiException.at(ErrorCode.INVALID_REQUEST, where + "/queue", JobQueues.OF_WORKERS);
        }
        return checks.checked(
                schema,
                job.input(),
                where + "/input",
                time,
                () -> queue == null
                        ? Uni.createFrom().item(true)
                        : queues.find(queue, where + "/queue").replaceWith(true));
    }

    private static boolean isTemplate(WorkflowJob job) {
        return job.input() != null && OptionFields.isTemplate(job.input());
    }

    /**
     * The jobs of a run.
     *
     * @param ids of all jobs, those that are not made anew included
     * @param made the names of those that are
     * @param deadline after which no attempt of theirs begins
     * @param key of the run, from which those of its jobs are made
     */
    public record Plan(
            WorkflowSpec spec,
            Run run,
            Map<String, UUID> ids,
            Set<String> made,
            @Nullable Instant deadline,
            String key,
            @Nullable TraceContext trace) {
        WorkflowJob job(String name) {
            return Objects.requireNonNull(spec.jobs().get(name));
        }

        UUID id(String name) {
            return Objects.requireNonNull(ids.get(name));
        }
    }

    /** Makes the jobs on the current versions of their endpoints; fails with an {@link ApiException}. */
    public Uni<List<NewJob>> make(Plan plan) {
        return Multi.createFrom()
                .iterable(plan.made())
                .onItem()
                .transformToUniAndConcatenate(name -> make(plan, name))
                .collect()
                .asList();
    }

    private Uni<NewJob> make(Plan plan, String name) {
        var where = "/jobs/" + name;
        var queue = plan.job(name).queue();
        return findOf(plan.job(name), where)
                .chain(endpoint -> placing(queue, where).map(place -> newJob(plan, name, endpoint, place)))
                .chain(queues::settled);
    }

    private Uni<Placing> placing(@Nullable String queue, String where) {
        return queue == null
                ? Uni.createFrom().item(new Placing(null))
                : queues.find(queue, where + "/queue").map(Placing::new);
    }

    /** The endpoints may have changed since they were looked up, and the queues have been deleted. */
    public void forget(Plan plan) {
        plan.made().forEach(name -> {
            endpoints.forget(plan.job(name).endpoint());
            queues.forget(plan.job(name).queue());
        });
    }

    private static NewJob newJob(Plan plan, String name, Registered endpoint, Placing place) {
        var job = plan.job(name);
        var isTemplate = isTemplate(job);
        // With an id that is not known before, so that no other job has the key.
        var key = plan.key() + "/" + name + "/" + plan.id(name);
        var parents = job.dependsOn().stream()
                .map(parent -> new Parent(plan.id(parent), parent))
                .toList();
        return new NewJob(
                plan.id(name),
                endpoint.name(),
                endpoint.version(),
                endpoint.payloadSpecVersion(),
                (job.delay().isZero() ? TriggerKind.IMMEDIATE : TriggerKind.DELAYED).name(),
                null,
                job.delay(),
                place.id(endpoint),
                job.priority(),
                job.tags(),
                key,
                Fingerprint.of(key),
                job.input(),
                plan.trace(),
                endpoint.flowKey(job.input(), isTemplate, "/jobs/" + name + "/input"),
                place.isNamed(),
                new Expiry(job.ttl(), null, plan.deadline()),
                // Of a job without parents the rule still says whether a cancel leaves it.
                parents.isEmpty() && job.rule() != TriggerRule.ALWAYS ? null : new Dependencies(parents, job.rule()),
                new JobOptions(job.when(), isTemplate, job.timeout(), job.rules(), plan.run(), null, null, null),
                endpoint.type() == EndpointType.WORKER);
    }
}
